// Package protobuf generates generated.pb.go and generated.proto without protoc: the methods Reset, Size, Marshal,
// MarshalTo, MarshalToSizedBuffer, Unmarshal and String of the types of a package tagged +k8s:protobuf-gen=package.
//
// The bytes are those of Kubernetes: fields ascend by number, values are written even if they are zero and pointers
// if they are not nil, nothing is packed, maps are sorted. What the printed code reads is what Kubernetes' code
// reads: unknown fields and groups are passed over, lists may be packed, fields add up. It imports the standard
// library and the packages of the types; what it leans on beside that is printed with it (see wirecode).
//
// A field's number is that of its protobuf struct tag. Without one it keeps the number that generated.proto says, and
// a new field gets the highest number ever used and one more. So generated.proto is to be checked in: it is the
// memory of a package. A number whose field is gone stays there as reserved. User source is never edited.
//
// Start reading at Plugin. plan.go picks the messages (options.go, structtag.go), plans their fields (fields.go,
// value.go) and numbers (numbers.go, ledger.go); emit.go prints the Go code and proto.go the .proto file.
package protobuf

import (
	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
)

// generator is the name in the header of generated.pb.go.
const generator = "go-to-protobuf"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "protobuf",
		Doc:  "Protobuf messages and their methods, byte for byte those of Kubernetes (generated.pb.go, generated.proto).",
		Tags: tags,
		// generated.proto stays when the tag goes: it remembers the numbers.
		Outputs:  []emit.Output{{Name: goFile, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, f := range plan(pass.Set, pass.Packages, pass.Report) {
		if err := printFile(pass.File(f.pkg, goFile, generator), f); err != nil {
			pass.Report.Add(diag.Problem{Pos: pass.Set.PackagePos(f.pkg), Message: err.Error()})
		}
		if len(f.messages) > 0 {
			pass.Raw(f.pkg, protoFile, protoText(f, pass.Header))
		}
	}
}
