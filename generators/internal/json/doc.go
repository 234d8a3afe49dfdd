// Package json generates zz_generated.json.go: functions that write a package's types as JSON and
// read them, without reflection.
//
//	AppendJSON_Book(dst []byte, in *Book) ([]byte, error)
//	ReadJSON_Book(r *json.Reader, out *Book)
//
// The functions write the bytes of encoding/json.Marshal. They read what
// sigs.k8s.io/json.UnmarshalStrict reads, with the same errors. Package runtime/json, which the
// printed code imports, has the details, and says what sharing memory costs. Field names,
// omitempty, omitzero, string, promotion out of embedded structs and hand-written methods are those
// of encoding/json.
//
// A package asks for it with +typeplane:json-gen=package: functions are printed for its exported
// structs and for its aliases that are kinds (package kind). A type asks, or asks not to,
// with +typeplane:json-gen=true and =false. What these types need besides is printed into the same
// file, unexported and once: for unexported types, for types of other modules, for packages without
// the tag. Types of apimachinery have their functions in runtime/json/apimachinery.
//
// Start reading at Plugin. plan.go picks the types, and plan_value.go decides how values of a type
// are written and read. plan_methods.go says which hand-written methods count, plan_fields.go which
// fields a struct has in JSON. emit_append.go and emit_read.go print.
package json

import (
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const (
	fileName  = "zz_generated.json.go"
	generator = "json-gen"

	enableTag = "typeplane:json-gen"

	runtimePath   = "github.com/typeplane/typeplane/runtime/json"
	machineryPath = runtimePath + "/apimachinery"
)

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "json",
		Doc:  "AppendJSON and ReadJSON functions: JSON without reflection, byte for byte that of encoding/json",
		Tags: []tag.Definition{{Name: enableTag, Scope: tag.Package | tag.Type, Value: tag.Name,
			Doc: "On a package: package prints AppendJSON_T and ReadJSON_T for all exported structs and alias kinds, false for nothing. " +
				"On a type or an alias of a type: true or false.", Example: "+typeplane:json-gen=package"}},
		Outputs:  []emit.Output{{Name: fileName, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	pl := newPlanner(pass)
	for _, pkg := range pass.Packages {
		if functions := pl.plan(pkg); len(functions) > 0 {
			newPrinter(pass.File(pkg, fileName, generator), pass.Model, pkg).print(functions)
		}
	}
}
