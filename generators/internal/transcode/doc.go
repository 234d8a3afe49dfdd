// Package transcode generates zz_generated.transcode.go: tables of which runtime/transcode makes
// the JSON of an object out of its protobuf, without a Go value in between.
//
//	var JSONTable_Book = transcode.Message{…}
//
// A package gets them where it has functions for both protobuf and JSON: one table for each of its
// messages, and for those of other modules that they hold. Nothing is tagged for it. With gen
// --inline-runtime there are none, and a server decodes.
//
// A table has a line for each field, in the order of JSON. What the lines have no word for, like a
// map with numbers as keys, a hand-written MarshalJSON or the option "string", makes the message
// one that is decoded alone (transcode.Decoded).
//
// Start reading at Plugin. plan.go decides for messages, plan_field.go for fields, and emit.go
// prints.
package transcode

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
)

const (
	fileName  = "zz_generated.transcode.go"
	generator = "transcode-gen"

	runtimePath = "github.com/typeplane/typeplane/runtime/transcode"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name:     "transcode",
		Doc:      "tables for JSON out of protobuf without decoding, where a package has functions for both",
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	if pass.InlineRuntime {
		return
	}
	numbers := protobuf.NumbersOf(pass.Model, pass.Packages)
	for _, pkg := range pass.Packages {
		if tables := plan(pass, numbers, pkg); len(tables) > 0 {
			printTables(pass.File(pkg, fileName, generator), tables)
		}
	}
}
