package protobuf

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// slab is a field of the printed readerGenerated.
type slab struct {
	name, typ string
	of        *types.Type // nil for one of Go's own types
}

// slabOf is the name of the slab that values of a type come from.
func (p *printer) slabOf(v *value) string {
	name, typ := v.goes+"s", v.goes
	if v.isMessage() {
		typ = p.Type(v.typ)
		name = strings.ReplaceAll(typ, ".", "_")
		p.needSlab(slab{name, typ, v.typ})
		return name
	}
	p.needSlab(slab{name, typ, nil})
	return name
}

func (p *printer) needSlab(s slab) {
	p.method("next")
	p.method("list")
	if !slices.Contains(p.slabs, s) {
		p.slabs = append(p.slabs, s)
	}
}

// readers prints the types that carry what the reading of one object has in common. Few objects need all slabs, so
// those that not every kind needs stand apart.
func (p *printer) readers(cycles bool) {
	var common, others []slab
	for _, s := range p.slabs {
		if s.of == nil || p.file.common[s.of] {
			common = append(common, s)
		} else {
			others = append(others, s)
		}
	}
	p.P("// readerGenerated is what the reading of one object has in common. Small things that objects have many of are")
	p.P("// allocated together.")
	p.P("type readerGenerated struct {")
	p.P("shared bool // strings are parts of the input")
	if cycles {
		p.P("depth int // of messages that can hold themselves")
	}
	p.slabFields(common)
	p.P("}")
	p.P()
	if len(others) > 0 {
		p.P("// largeReaderGenerated is for objects with more parts.")
		p.P("type largeReaderGenerated struct {")
		p.P("readerGenerated")
		p.slabFields(others)
		p.P("}")
		p.P()
	}
}

func (p *printer) slabFields(slabs []slab) {
	slices.SortFunc(slabs, func(a, b slab) int { return strings.Compare(a.name, b.name) })
	for _, s := range slabs {
		p.P(s.name, " ", p.helper("slab"), "[", s.typ, "]")
	}
}

// readerOf is the type of reader that a message needs.
func (p *printer) readerOf(m *message) string {
	if p.file.large[m] {
		return "largeReaderGenerated"
	}
	return "readerGenerated"
}

// newReader is a pointer to a reader for a message.
func (p *printer) newReader(m *message, shared bool) string {
	switch {
	case !shared:
		return "&" + p.readerOf(m) + "{}"
	case p.file.large[m]:
		return "&largeReaderGenerated{readerGenerated: readerGenerated{shared: true}}"
	}
	return "&readerGenerated{shared: true}"
}

// pass is how a function hands its reader to a helper, or to the function of another message.
func (p *printer) pass(to *message) string {
	if p.file.large[p.in] && !p.file.large[to] {
		return "&r.readerGenerated"
	}
	return "r"
}
