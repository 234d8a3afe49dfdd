package protobuf

import (
	"slices"
	"strings"
)

// slab is a field of the printed readerGenerated.
type slab struct{ name, typ string }

// slabOf is the name of the slab that messages of a type come from.
func (p *printer) slabOf(v *value) string {
	s := slab{strings.ReplaceAll(p.Type(v.typ), ".", "_"), p.Type(v.typ)}
	p.method("nextOf")
	p.method("listOf")
	if !slices.Contains(p.slabs, s) {
		p.slabs = append(p.slabs, s)
	}
	return s.name
}

// reader prints the type that carries what the reading of one object has in common.
func (p *printer) reader() {
	p.P("// readerGenerated reads one object. Messages in messages are read from the same bytes: end moves.")
	p.P("type readerGenerated struct {")
	p.P("data []byte")
	p.P("shared bool // strings are parts of data")
	p.P()
	p.P("start int // of the field being read")
	p.P("tag uint64 // of that field; what is beyond 32 bits of its number does not count")
	p.P("i int // what comes next")
	p.P("end int // of the message being read")
	p.P("err error // the first one; then i is behind data")
	p.P("depth int // of messages that can hold themselves")
	p.P()
	p.P("words ", p.helper("slab"), "[uint64]")
	p.P("strings ", p.helper("slab"), "[string]")
	slices.SortFunc(p.slabs, func(a, b slab) int { return strings.Compare(a.name, b.name) })
	for _, s := range p.slabs {
		p.P(s.name, " ", p.helper("slab"), "[", s.typ, "]")
	}
	p.P("}")
	p.P()
}
