package protobuf

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// Message is what other plug-ins may know of a message that a package gets functions for.
type Message struct {
	Type *types.Type
	// Own says that the type is the package's: it gets methods. Others get functions only.
	Own bool
	// List says that the type is a slice or a map, which is the only field.
	List bool
	// Cycle says that the message can hold itself.
	Cycle  bool
	Fields []Field
}

// Field is a field of a message.
type Field struct {
	// Name is that of the Go field, "" for the items of a slice or map.
	Name   string
	Number int32
	// Wire is the wire type of what stands behind the number.
	Wire int
	// List and Map say that there is a field for each item or entry; Key is the type of the keys.
	List, Map bool
	Key       *types.Type
	// Type is that of one value, below the pointer if there is one.
	Type    *types.Type
	Pointer bool
	// Proto is the type in protobuf, like "int32"; "" for messages.
	Proto string
	// Access is how the package gets at the value, if that is a message.
	Access Access
}

// Access is how a package gets at a message.
type Access int

const (
	ByMethods Access = iota // of its type
	InFile                  // by functions of the same file
	InModule                // by functions of another package of the module
	InRuntime               // by functions of the runtime
)

// Messages are those of a package that it gets functions for: its own, and those of other modules
// that they hold. aliases are its kinds of other modules.
func (n *Numbers) Messages(pkg *model.Package) (messages []Message, aliases map[string]*types.Type) {
	f := n.files[pkg]
	if f == nil {
		return nil, nil
	}
	for _, m := range f.codecs() {
		out := Message{Type: m.typ, Own: !m.foreign, List: m.items, Cycle: m.cycle}
		for _, field := range m.fields {
			out.Fields = append(out.Fields, field.shown())
		}
		messages = append(messages, out)
	}
	aliases = map[string]*types.Type{}
	for _, a := range f.aliases {
		if a.access == byFunction {
			aliases[a.name] = a.typ
		}
	}
	return messages, aliases
}

func (f *field) shown() Field {
	v := f.value
	out := Field{Name: f.goName, Number: f.number, Wire: v.wireOf(f.shape), List: f.shape == list, Map: f.shape == dict, Type: v.typ, Pointer: v.pointer, Proto: v.proto}
	if f.key != nil {
		out.Key = f.key.typ
	}
	switch v.access {
	case byFunction:
		out.Access = InFile
	case byShared:
		out.Access = InModule
	case asTime, asQuantity, asFieldSet, byRuntime:
		out.Access = InRuntime
	}
	return out
}
