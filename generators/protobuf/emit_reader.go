package protobuf

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// slabsBefore is how many slabs every reader has; what has number 0 comes from none.
const slabsBefore = 3

// startReader prints what makes a reader, with as many slabs as the message may need, and allocates what the metadata of
// a kind needs.
func (p *printer) startReader(fields string, m *message) {
	p.P("var err error")
	p.f("var slabs [%d]%s", p.slabsOf(m), p.helper("slab"))
	p.f("r := %s{%serr: &err, slabs: slabs[:]}", p.helper("reader"), fields)
	if m.isKind() && len(p.file.first) > 0 {
		p.P("r.first(data)")
	}
	p.f("%s(&r, &%s, func() { %s() }, data, m)", p.helper("read"), p.typeName(m.typ), p.function("reads", m))
	p.P("return err")
}

// slabsOf is how many slabs the reader of a message has.
func (p *printer) slabsOf(m *message) int {
	if p.file.needsWide(m) {
		return slabsBefore + len(p.file.slabTypes)
	}
	return slabsBefore + len(p.file.first)
}

func (p *printer) slabName(t *types.Type) string { return strings.ReplaceAll(p.Type(t), ".", "_") }

// otherTypes prints what says how the types are read that are no messages of this file.
func (p *printer) otherTypes() {
	slices.SortFunc(p.others, func(a, b *types.Type) int { return strings.Compare(a.Name.String(), b.Name.String()) })
	for _, t := range p.others {
		p.readType(t)
	}
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
		p.f("%s [%d]%s", p.slabName(t), firstOf(t), p.Type(t))
	}
	p.P("}")
	p.P()
	p.P("// first allocates them at once, unless the object is too small to need more than one.")
	p.P("func (r *readerGenerated) first(data []byte) {")
	p.P("if len(data) < 256 {")
	p.P("return")
	p.P("}")
	p.P("f := new(firstGenerated)")
	p.firstSlab(p.helper("wordSlab"), "words", 4)
	p.firstSlab(p.helper("stringSlab"), "strings", 2)
	for _, t := range p.file.first {
		p.firstSlab(fmt.Sprint(p.file.slabNumber(t)), p.slabName(t), firstOf(t))
	}
	p.P("}")
	p.P()
}

func (p *printer) firstSlab(slab, name string, n int64) {
	p.f("r.slabs[%s] = slabGenerated{values: %s(&f.%s), free: %d, made: %d}", slab, p.Ident("unsafe", "Pointer"), name, n, n)
}

// firstOf is how many values of a type are allocated at once for metadata.
func firstOf(t *types.Type) int64 { return max(1, 64/sizes.Sizeof(t.GoType)) }
