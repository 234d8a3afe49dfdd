package protobuf

import (
	"slices"
	"strings"
)

// slab is a field of the printed readerGenerated.
type slab struct{ name, typ string }

// slabOf is the name of the slab that values of a type come from.
func (p *printer) slabOf(v *value) string {
	name, typ := v.goes+"s", v.goes
	if v.isMessage() {
		typ = p.Type(v.typ)
		name = strings.ReplaceAll(typ, ".", "_")
		p.needSlab(slab{name, typ})
		return name
	}
	p.needSlab(slab{name, typ})
	return name
}

func (p *printer) needSlab(s slab) {
	p.method("next")
	p.method("list")
	if !slices.Contains(p.slabs, s) {
		p.slabs = append(p.slabs, s)
	}
}

// reader prints the type that carries what the reading of one object has in common.
func (p *printer) reader(cycles bool) {
	p.P("// readerGenerated is what the reading of one object has in common. Small things that objects have many of are")
	p.P("// allocated together.")
	p.P("type readerGenerated struct {")
	p.P("shared bool // strings are parts of the input")
	if cycles {
		p.P("depth int // of messages that can hold themselves")
	}
	slices.SortFunc(p.slabs, func(a, b slab) int { return strings.Compare(a.name, b.name) })
	for _, s := range p.slabs {
		p.P(s.name, " ", p.helper("slab"), "[", s.typ, "]")
	}
	p.P("}")
	p.P()
}
