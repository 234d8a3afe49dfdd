package protobuf

import (
	"errors"
	"fmt"
	"go/token"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// shape is how the values of a field repeat.
type shape int

const (
	one  shape = iota // always written, or, behind a pointer, when it is not nil
	list              // one field for each item
	dict              // one field for each entry, sorted by key
)

// wire returns the tag that stands before each value.
func (f *field) wire() string { return tagText(f.number, f.value.wireOf(f.shape)) }

// tagText is a tag as the printed code has it: the field's number stays readable.
func tagText(number int32, wire int) string {
	if wire == 0 {
		return fmt.Sprintf("%d<<3", number)
	}
	return fmt.Sprintf("%d<<3|%d", number, wire)
}

func (v *value) wireOf(s shape) int {
	if s == dict {
		return wireBytes
	}
	return v.kind.wire
}

// tagSize is how many bytes that tag takes.
func (f *field) tagSize() int {
	n := 1
	for tag := uint64(f.number) << 3; tag >= 0x80; tag >>= 7 {
		n++
	}
	return n
}

// declaration is how the field's line in the .proto file begins: label and type.
func (f *field) declaration() string {
	switch f.shape {
	case list:
		return "repeated " + f.value.ref
	case dict:
		return "map<" + f.key.ref + ", " + f.value.ref + ">"
	}
	return "optional " + f.value.ref
}

// typeMeta is never written: the envelope holds it.
const typeMeta = "k8s.io/apimachinery/pkg/apis/meta/v1.TypeMeta"

// fillStruct plans the fields of a struct, or of the struct that stands for it.
func (p *planner) fillStruct(pkg *model.Package, m *message, o options) {
	source := m.typ
	if o.as != "" {
		source = pkg.Types.Types[o.as]
		if source == nil || source.Kind != types.Struct {
			p.problem(m.typ, "", "+protobuf.as="+o.as+": the package has no such struct", "")
			return
		}
	}
	for _, member := range source.Members {
		if member.Type.Name.String() == typeMeta {
			continue
		}
		if !token.IsExported(member.Name) {
			p.checkHidden(source, member)
			continue
		}
		f, err := p.field(pkg.Path, member)
		if err != nil {
			p.refuse(source, member.Name, err)
			continue
		}
		if f == nil {
			continue
		}
		f.comments = p.model.DocOfField(source, member.Name)
		if f.tag.odd != "" {
			p.report.Warn(diag.Problem{
				Pos: p.model.MemberPos(source, member.Name), Path: source.Name.Name + "." + member.Name,
				Message: fmt.Sprintf("%s in the protobuf tag says nothing, so the field's name in protobuf is %s", f.tag.odd, f.name),
				Cure:    "write the tag like " + `protobuf:"bytes,1,opt,name=title"`,
			})
		}
		if m.prints(f.goName) {
			p.problem(source, member.Name, "a field cannot have the name of the method "+f.goName, "call it something else; the json tag may keep its name")
		}
		m.fields = append(m.fields, f)
	}
}

// checkHidden refuses an embedded struct that is not exported although JSON shows its fields:
// protobuf would lose them.
func (p *planner) checkHidden(t *types.Type, member types.Member) {
	st, err := readTag(member)
	if !member.Embedded || member.Type.Kind != types.Struct || err != nil || st.skip {
		return
	}
	for _, inner := range member.Type.Members {
		if token.IsExported(inner.Name) {
			p.problem(t, member.Name, "JSON shows the fields of this struct, but protobuf cannot, because its type is not exported",
				`export the type, or leave it out with protobuf:"-"`)
			return
		}
	}
}

// field plans one struct field; it returns nil if the field is left out.
func (p *planner) field(pkg string, member types.Member) (*field, error) {
	st, err := readTag(member)
	if err != nil || st.skip {
		return nil, err
	}
	f := &field{goName: member.Name, name: st.name, number: st.number, typ: member.Type, tag: st}
	if err := p.shape(pkg, f); err != nil {
		return nil, err
	}
	return f, f.checkWire()
}

// shape decides how the values of a field repeat and what they are.
func (p *planner) shape(pkg string, f *field) (err error) {
	under := model.Underlying(f.typ)
	if under.Kind == types.Slice && !isByte(under.Elem) || under.Kind == types.Map {
		if f.value, err = p.message(pkg, f.typ); f.value != nil || err != nil {
			return err
		}
	}
	switch {
	case under.Kind == types.Slice && !isByte(under.Elem):
		f.shape = list
		f.value, err = p.item(pkg, under.Elem)
	case under.Kind == types.Map:
		f.shape = dict
		if f.key, err = p.mapKey(pkg, under.Key); err == nil {
			f.value, err = p.item(pkg, under.Elem)
		}
	default:
		f.value, err = p.single(pkg, f.typ)
	}
	return err
}

// item plans an item of a list or a value of a map.
func (p *planner) item(pkg string, t *types.Type) (*value, error) {
	v, err := p.single(pkg, t)
	if err == nil && v.pointer && !v.isMessage() {
		return nil, refuse("use "+goName(v.typ), "a list or map of %s cannot be written", goName(t))
	}
	return v, err
}

// mapKey plans the key of a map.
func (p *planner) mapKey(pkg string, t *types.Type) (*value, error) {
	v, err := p.single(pkg, t)
	if err != nil || v.pointer || v.isMessage() || v.kind == bytesKind || v.kind == boolKind || v.wire != wireVarint && v.kind != stringKind {
		return nil, refuse("use a string or an integer", "%s cannot be the key of a map", goName(t))
	}
	return v, nil
}

// checkWire compares the first part of the struct tag with the Go type, which decides. That "bytes"
// or "varint" is wrong says nothing: fifty fields of Kubernetes' own types have one for the other.
func (f *field) checkWire() error {
	said := f.tag.wire
	want := map[int]string{wireVarint: "varint", wireFixed64: "fixed64", wireBytes: "bytes", wireFixed32: "fixed32"}[f.value.wireOf(f.shape)]
	switch said {
	case "", want, "bytes", "varint", f.value.ref, f.value.typ.Name.Name:
		return nil
	}
	return refuse("write "+want, `protobuf:"%s,%d": a value of type %s is not written as %s`, said, f.tag.number, goName(f.typ), said)
}

// fillItems plans the message of a slice or map type: its items are field 1.
func (p *planner) fillItems(m *message) {
	m.items = true
	what := "slice"
	if model.Underlying(m.typ).Kind == types.Map {
		what = "map"
	}
	f := &field{name: "items", number: 1, typ: model.Underlying(m.typ), comments: []string{"items, if empty, will result in an empty " + what}}
	if err := p.shape(m.typ.Name.Package, f); err != nil {
		p.refuse(m.typ, "", err)
		return
	}
	m.fields = []*field{f}
}

// fillEmbedded plans the message of a type that is written as one value of another type.
func (p *planner) fillEmbedded(m *message, name string) {
	if m.codec {
		p.problem(m.typ, "", "+protobuf.embed="+name+" says nothing about how to get from one type to the other",
			"write the methods by hand and add +protobuf.options.marshal=false")
		return
	}
	m.fields = []*field{{name: defaultName(name, ""), number: 1, value: &value{kind: stringKind, typ: types.String, ref: name}}}
}

// refuse reports why a type, or a field of it, cannot be written. What the compiler has to say
// comes first.
func (p *planner) refuse(t *types.Type, member string, err error) {
	if text := p.model.TypeError(t, member); text != "" {
		p.problem(t, member, text, "")
		return
	}
	var r *refused
	if errors.As(err, &r) {
		p.problem(t, member, r.message, r.cure)
		return
	}
	p.problem(t, member, err.Error(), `write it like protobuf:"bytes,1,opt,name=title"`)
}
