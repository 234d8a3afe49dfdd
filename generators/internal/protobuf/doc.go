// Package protobuf generates generated.pb.go and generated.proto without protoc: the methods Reset,
// Size, Marshal, MarshalTo, MarshalToSizedBuffer, Unmarshal and String of the types of a package
// tagged +k8s:protobuf-gen=package.
//
// The bytes are those of Kubernetes. Fields ascend by number, nothing is packed, and maps are
// sorted. A value is written even if it is zero, a pointer only if it is not nil. What the printed
// code reads is what Kubernetes' code reads: unknown fields and groups are passed over, lists may
// be packed, fields add up. It leans on package runtime/protobuf, which it imports; gen
// --inline-runtime prints a copy of what is needed of it instead (emit_runtime.go).
//
// Types of other modules that have such methods (ObjectMeta is in every kind) get functions in each
// package that needs them. So an object is read and written in one piece. Types with hand-written
// methods are left to those. A kind of another module that a package serves by an alias (see
// package kind) gets UnmarshalShared_T, Recycler_T and AppendProtobuf_T. Packages of one module
// call each other's UnmarshalShared_T.
//
// # What sharing memory costs
//
// UnmarshalShared_T reads as Unmarshal does, but does not copy strings: they are parts of its
// input, which nobody may change from then on. As long as one of them is reachable, all of the
// input is: whoever keeps the name of an object of a megabyte keeps a megabyte. So it is for those
// who drop objects as a whole, like a server that answers a request; whoever keeps parts of an
// object takes Unmarshal, or strings.Clone. Sets of fields (FieldsV1) are shared like strings, as
// their own documentation forbids to change their bytes in place. All other byte slices are copied,
// and an empty string keeps nothing.
//
// Recycler_T goes one step further, for objects that are only looked at. Each lies in the memory of
// the one before (runtime/protobuf/arena.go), maps included, and is good until the next one is
// read.
//
// Both allocate small things that objects have many of together, at most 1 KiB at a time; so a
// pointer that is kept may keep that much. Decoding remembers how many values of each type the last
// two objects of a kind needed. The next object gets the smaller number of them at once, and keeps
// what it does not need.
//
// # How a message is read
//
// One loop (message in runtime/protobuf/read.go) reads all messages. A table for each says where
// its fields are in the Go struct and in which way each is read. It is made when it is needed for
// the first time, by a printed function that shows the fields of a value: protobuf.Text(t, 1,
// &m.Name). So the compiler checks that each field fits the way it is read, and the distance of two
// pointers is its place in all other values. What the loop does not know, like the types of maps,
// is reached by functions that the table has. They never get hold of the reader, which is why it
// costs no allocation.
//
// # Numbers
//
// A field's number is that of its protobuf struct tag. Without one it keeps the number that
// generated.proto says, and a new field gets the highest number ever used and one more. So
// generated.proto is to be checked in: it is the memory of a package. The number and the name of a
// field that is gone stay there as reserved, and no field may have them again. Upstream's comments
// about such fields (+k8s:deprecated=name,protobuf=6) reserve them too. User source is never
// edited.
//
// Start reading at Plugin. plan.go picks the messages (options.go, structtag.go), plans their
// fields (fields.go, value.go) and numbers (numbers.go, ledger.go, tombstones.go) and what is
// needed of other modules (plan_reach.go, plan_slab.go). emit.go prints the Go code and proto.go
// the .proto file.
package protobuf

import (
	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
)

// generator is the name in the header of generated.pb.go.
const generator = "go-to-protobuf"

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "protobuf",
		Doc:  "protobuf messages and their methods, byte for byte those of Kubernetes (generated.pb.go, generated.proto)",
		Tags: tags,
		// generated.proto stays when the tag goes: it remembers the numbers.
		Outputs:  []emit.Output{{Name: goFile, Generator: generator}},
		Generate: generate,
	}
}

func generate(pass *generators.Pass) {
	for _, f := range plan(pass.Model, pass.Packages, pass.Report, pass.InlineRuntime) {
		if err := printFile(pass.File(f.pkg, goFile, generator), f); err != nil {
			pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(f.pkg), Message: err.Error()})
		}
		if len(f.messages) > 0 {
			pass.Raw(f.pkg, protoFile, protoText(f, pass.Header))
		}
	}
}
