package protobuf

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// slab is a field of the printed wideReaderGenerated.
type slab struct{ name, typ string }

// slabOf is the slab that messages of a type come from.
func (p *printer) slabOf(t *types.Type) string {
	name := p.slabName(t)
	p.method("nextOf")
	p.method("listOf")
	if slices.Contains(p.file.first, t) {
		return "r." + name
	}
	if s := (slab{name, p.Type(t)}); !slices.Contains(p.slabs, s) {
		p.slabs = append(p.slabs, s)
	}
	return "r.wide()." + name
}

func (p *printer) slabName(t *types.Type) string { return strings.ReplaceAll(p.Type(t), ".", "_") }

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
	for _, t := range p.file.first {
		p.P(p.slabName(t), " ", p.helper("slab"), "[", t, "]")
	}
	p.P("}")
	p.P()
	p.wide()
	p.first()
}

// wide prints the reader for messages that need more slabs than metadata does: a small kind need not clear them all.
func (p *printer) wide() {
	if len(p.slabs) == 0 {
		return
	}
	slices.SortFunc(p.slabs, func(a, b slab) int { return strings.Compare(a.name, b.name) })
	p.P("// wideReaderGenerated is the reader of a message that may hold any of these.")
	p.P("type wideReaderGenerated struct {")
	p.P("readerGenerated")
	for _, s := range p.slabs {
		p.P(s.name, " ", p.helper("slab"), "[", s.typ, "]")
	}
	p.P("}")
	p.P()
	p.P("// wide is the reader around r. Who reads such a message has started with one.")
	p.P("func (r *readerGenerated) wide() *wideReaderGenerated {")
	p.P("return (*wideReaderGenerated)(", p.Ident("unsafe", "Pointer"), "(r))")
	p.P("}")
	p.P()
}

// first prints what allocates the first values for metadata at once.
func (p *printer) first() {
	if len(p.file.first) == 0 || len(p.file.kinds()) == 0 {
		return
	}
	p.P("// firstGenerated is what the metadata of most objects needs some of.")
	p.P("type firstGenerated struct {")
	p.P("words [4]uint64")
	p.P("strings [2]string")
	for _, t := range p.file.first {
		p.f("%s [%d]%s", p.slabName(t), max(1, 64/sizes.Sizeof(t.GoType)), p.Type(t))
	}
	p.P("}")
	p.P()
	p.P("// first allocates them at once, unless the object is too small to need more than one.")
	p.P("func (r *readerGenerated) first() {")
	p.P("if len(r.data) < 256 {")
	p.P("return")
	p.P("}")
	p.P("f := new(firstGenerated)")
	p.P("r.words, r.strings = f.words[:], f.strings[:]")
	for _, t := range p.file.first {
		name := p.slabName(t)
		p.f("r.%s = f.%s[:]", name, name)
	}
	p.P("}")
	p.P()
}
