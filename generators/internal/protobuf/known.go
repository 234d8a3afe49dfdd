package protobuf

import (
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// Numbers knows under which number a field stands on the wire, for plug-ins whose code reads
// encoded messages.
type Numbers struct {
	inRun    map[string]bool
	messages map[*types.Type]*message
	files    map[*model.Package]*file
}

// NumbersOf plans the messages of a run. What is wrong with them is not for it to report.
func NumbersOf(from *model.Model, packages []*model.Package) *Numbers {
	n := &Numbers{inRun: map[string]bool{}, messages: map[*types.Type]*message{}, files: map[*model.Package]*file{}}
	for _, pkg := range packages {
		n.inRun[pkg.Path] = true
	}
	for _, f := range plan(from, packages, new(diag.Report), false) {
		n.files[f.pkg] = f
		for _, m := range f.messages {
			n.messages[m.typ] = m
		}
	}
	return n
}

// Message says whether a type gets its methods, and UnmarshalShared_T if it is a kind, in this run.
func (n *Numbers) Message(t *types.Type) bool {
	m := n.messages[t]
	return m != nil && m.codec
}

// Field returns the number of a field of t that is no list and no map. For a type of another module
// that is the number of the struct tag, if the type has protobuf methods. ok is false if nobody but
// hand-written code knows.
func (n *Numbers) Field(t *types.Type, member types.Member) (number int32, ok bool) {
	if n.inRun[t.Name.Package] {
		return n.printed(t, member)
	}
	leaf := member.Type
	if leaf.Kind == types.Pointer {
		leaf = leaf.Elem
	}
	tag, err := readTag(member)
	if err != nil || tag.skip || !hasCodec(t) || leaf.Kind != types.Struct && hasCodec(leaf) {
		return 0, false
	}
	return tag.number, tag.number != 0
}

// printed is Field for a message of the run: the methods are those that it prints.
func (n *Numbers) printed(t *types.Type, member types.Member) (number int32, ok bool) {
	m := n.messages[t]
	if m == nil || !m.codec {
		return 0, false
	}
	for _, f := range m.fields {
		if f.goName == member.Name && f.shape == one {
			message := f.value.typ != nil && f.value.typ.Kind == types.Struct
			return f.number, message || !f.value.isMessage()
		}
	}
	return 0, false
}
