package protobuf

import (
	"slices"
	"sort"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// file is what one package gets: generated.pb.go and generated.proto.
type file struct {
	pkg      *model.Package
	inline   bool                 // it may not import the runtime
	messages []*message           // by name
	aliases  []alias              // kinds of other modules, by name
	foreign  []*message           // of other modules, that those hold
	slabs    map[*types.Type]bool // types that are allocated together
	first    []*types.Type        // those of them that metadata has
	// slabTypes are all of them, in the order of their numbers: first comes first.
	slabTypes []*types.Type
}

// codecs are the messages whose functions the file gets.
func (f *file) codecs() []*message {
	var out []*message
	for _, m := range append(slices.Clone(f.messages), f.foreign...) {
		if m.codec {
			out = append(out, m)
		}
	}
	return out
}

// message is one Go type as a protobuf message.
type message struct {
	name     string
	typ      *types.Type
	comments []string
	fields   []*field // in Go order
	reserved reserved // what fields had that are gone

	// items says that typ is a slice or map (+protobuf.nullable=true), which is the message's only
	// field.
	items bool
	// codec and stringer say which methods to print besides Reset; the user has written the others.
	codec, stringer, reset, protoMessage bool
	// deprecated is said in the .proto file.
	deprecated bool
	// foreign says that the message is of another module: it gets functions, no methods.
	foreign bool
	// cycle says that the message can hold itself, so its depth is limited when reading.
	cycle bool
}

// byNumber returns the fields as they stand on the wire.
func (m *message) byNumber() []*field {
	fields := append([]*field(nil), m.fields...)
	sort.Slice(fields, func(i, j int) bool { return fields[i].number < fields[j].number })
	return fields
}

// prints tells whether the message gets a method of that name.
func (m *message) prints(name string) bool {
	switch name {
	case "Reset":
		return m.reset
	case "ProtoMessage":
		return m.protoMessage
	case "String":
		return m.stringer
	}
	return m.codec && slices.Contains(codecMethods, name)
}

// codecMethods are the methods that write and read a message.
var codecMethods = []string{"Marshal", "MarshalTo", "MarshalToSizedBuffer", "Size", "Unmarshal"}

// field is one field of a message.
type field struct {
	goName   string // "" for the items of a slice or map type
	name     string // in the .proto file
	number   int32
	comments []string
	typ      *types.Type
	shape    shape
	key      *value // of a dict
	value    *value
	tag      structTag
}

// reserved is what no field may have, because one that is gone had it.
type reserved struct {
	numbers []span
	names   []string
}
