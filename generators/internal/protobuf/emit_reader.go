package protobuf

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"
)

// slabsBefore is how many slabs every reader has, where the runtime is not imported; what has
// number 0 comes from none.
const slabsBefore = 3

// slab is the number of slab i of those that are the file's own.
func (p *printer) slab(i int) string {
	if p.file.inline {
		return fmt.Sprint(slabsBefore + i)
	}
	number := p.Ident(apimachineryPackage, "FirstSlab")
	if i > 0 {
		number += fmt.Sprintf(" + %d", i)
	}
	return number
}

// startReader prints what makes a reader, with as many slabs as the message may need, and allocates
// what the metadata of a kind needs.
func (p *printer) startReader(fields string, m *message) {
	p.P("var err error")
	p.f("var slabs [%s]%s", p.slabsOf(m), p.helper("Slab"))
	p.f("r := %s{%sErr: &err, Slabs: slabs[:]}", p.helper("Reader"), fields)
	switch {
	case m.isKind() && !p.file.inline:
		p.f("%s(&r, data)", p.Ident(apimachineryPackage, "Start"))
	case m.isKind() && len(p.file.first) > 0:
		p.P("firstValues(&r, data)")
	}
	p.f("%s(&r, &%s, func() { %s() }, data, m)", p.helper("Read"), p.typeName(m.typ), p.function("reads", m))
	p.P("return err")
}

// slabsOf is how many slabs the reader of a message has.
func (p *printer) slabsOf(m *message) string {
	if p.file.needsWide(m) {
		return p.slab(len(p.file.slabTypes))
	}
	return p.slab(len(p.file.first))
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
	p.P("// firstValues allocates at once what the metadata of most objects needs some of, unless the object is too small to")
	p.P("// need more than one.")
	p.P("func firstValues(r *", p.helper("Reader"), ", data []byte) {")
	p.P("if len(data) < 256 {")
	p.P("return")
	p.P("}")
	p.P("first := new(struct {")
	p.P("words [4]uint64")
	p.P("strings [2]string")
	for _, t := range p.file.first {
		p.f("%s [%d]%s", p.slabName(t), firstOf(t), p.Type(t))
	}
	p.P("})")
	p.fill(p.helper("WordSlab"), "words")
	p.fill(p.helper("StringSlab"), "strings")
	for _, t := range p.file.first {
		p.fill(p.slab(p.file.slabIndex(t)), p.slabName(t))
	}
	p.P("}")
	p.P()
}

func (p *printer) fill(slab, values string) {
	p.f("%s(r, %s, first.%s[:])", p.helper("Fill"), slab, values)
}

// firstOf is how many values of a type are allocated at once for metadata.
func firstOf(t *types.Type) int64 { return max(1, 64/sizes.Sizeof(t.GoType)) }
