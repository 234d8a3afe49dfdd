package deepcopy

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"

	"k8s.io/gengo/v2/types"
)

// object prints the copy of a kind to memory of which a part is allocated with the object itself.
func (p *printer) object(a alias) {
	t := a.node.typ
	if !p.memory.withObject(t) {
		p.P("out := new(", a.name, ")")
		p.P(p.functionName(t), "(in, out)")
		return
	}
	p.P("var m ", p.memoryType(t))
	p.P(p.counting(t), "(&m, in)")
	switch {
	case p.memory.own[t] != nil:
		p.P("out := m.object()")
	case p.memory.wide[t]:
		p.P("out := ", newObject, "[", a.name, "](&m.", p.metadata(), ")")
	default:
		p.P("out := ", newObject, "[", a.name, "](&m)")
	}
	p.objects = true
	p.P(p.with(t), "(&m, in, out)")
}

// firstMemory prints what gets the memory for metadata in one piece, with the object or without it.
func (p *printer) firstMemory() {
	p.P("// deepCopyFirst is as much of what metadata has as most objects need.")
	p.P("type deepCopyFirst struct {")
	for _, name := range p.memory.first {
		t := p.memory.slabs[name]
		p.P(p.slabName(t), " [", firstRoom(t), "]", t)
	}
	p.P("}")
	p.P()
	p.P("// Used is how many bytes of it are needed.")
	p.P("func (m *deepCopyMetaMemory) Used() (used uintptr) {")
	for _, name := range p.memory.first {
		t := p.memory.slabs[name]
		p.P("used += m.", p.slabName(t), ".Fits(", firstRoom(t), ")")
	}
	p.P("return used")
	p.P("}")
	p.P()
	p.takes("deepCopyMetaMemory", "TakeFirst", "deepCopyFirst", p.memory.first)
	p.entryMemory()
	if p.firsts {
		p.P("// Prepare allocates either of them in one piece: the larger one, if at least half of it is needed.")
		p.P("func (m *deepCopyMetaMemory) Prepare() {")
		p.cases("new(deepCopyFirst)", "new(deepCopyEntry)", nil, nil)
		p.P("}")
		p.P()
	}
	if p.objects {
		p.P("// deepCopyObject allocates an object and either of them in one piece, under the same condition.")
		p.P("func deepCopyObject[T any](m *deepCopyMetaMemory) *T {")
		p.cases("&b.first", "&b.entry",
			[]string{"b := new(struct{object T; first deepCopyFirst})", "b := new(struct{object T; entry deepCopyEntry})"},
			[]string{"return &b.object", "return &b.object"})
		p.P("return new(T)")
		p.P("}")
		p.P()
	}
}

// cases prints the choice between the two pieces: what comes before either of them is taken, and
// after it.
func (p *printer) cases(first, entry string, before, after []string) {
	line := func(lines []string, i int) {
		if lines != nil {
			p.P(lines[i])
		}
	}
	p.P("switch {")
	p.P("case 2*m.Used() >= ", sizeof, "(deepCopyFirst{}):")
	line(before, 0)
	p.P("m.TakeFirst(", first, ")")
	line(after, 0)
	if len(p.memory.entry) > 0 {
		p.P("case m.isEntry():")
		line(before, 1)
		p.P("m.takeEntry(", entry, ")")
		line(after, 1)
	}
	p.P("}")
}

// entryMemory prints the memory for one entry of managed fields.
func (p *printer) entryMemory() {
	if len(p.memory.entry) == 0 {
		return
	}
	p.P("// deepCopyEntry is what one entry of managed fields needs.")
	p.P("type deepCopyEntry struct {")
	var ones []string
	for _, name := range p.memory.entry {
		slab := p.slabName(p.memory.slabs[name])
		p.P(slab, " [1]", p.memory.slabs[name])
		ones = append(ones, "m."+slab+".Want == 1")
	}
	p.P("}")
	p.P()
	p.P("// isEntry tells whether just that is needed, apart from strings and the like.")
	p.P("func (m *deepCopyMetaMemory) isEntry() bool {")
	p.P("return ", strings.Join(ones, " && "))
	p.P("}")
	p.P()
	p.takes("deepCopyMetaMemory", "takeEntry", "deepCopyEntry", p.memory.entry)
}

// takes prints the method that makes a piece the memory for some types.
func (p *printer) takes(memory, method, piece string, names []types.Name) {
	p.P("func (m *", memory, ") ", method, "(from *", piece, ") {")
	for _, name := range names {
		slab := p.slabName(p.memory.slabs[name])
		p.P("m.", slab, ".Take(from.", slab, "[:])")
	}
	p.P("}")
	p.P()
}

// ownName is the name of a type that a kind has for its own memory.
func (p *printer) ownName(o *own, prefix string) string {
	return strings.Replace(p.functionName(o.kind), "deepCopy", prefix, 1)
}

// ownMemory prints the memory of each kind that has its own, and what allocates it with the object.
func (p *printer) ownMemory() {
	for _, fn := range p.foreign {
		o := p.memory.own[fn.typ]
		if o == nil || o.kind != fn.typ {
			continue
		}
		memory, block := p.ownName(o, "deepCopyMemory"), p.ownName(o, "deepCopyBlock")
		p.P("// ", memory, " is the memory for a ", o.kind.Name.Name, ".")
		p.P("type ", memory, " struct {")
		p.P(emit.Ident{Path: deepcopyPath, Name: "Memory"})
		for _, name := range o.names() {
			t := o.types[name]
			p.P(p.slabName(t), " ", emit.Ident{Path: deepcopyPath, Name: "Slab"}, "[", t, "]")
		}
		p.P("}")
		p.P()
		p.P("// ", block, " is one with as much as it needs with one item in each list.")
		p.P("type ", block, " struct {")
		p.P("object ", o.kind)
		p.P("first ", emit.Ident{Path: deepcopyPath, Name: "First"})
		for _, name := range o.names() {
			t := o.types[name]
			p.P(p.slabName(t), " [", o.room[name], "]", t)
		}
		p.P("}")
		p.P()
		p.ownObject(o, memory, block)
	}
}

func (p *printer) ownObject(o *own, memory, block string) {
	p.P("// object allocates the object, and all of the block if at least half of what is in it besides is needed.")
	p.P("func (m *", memory, ") object() *", o.kind, " {")
	p.P("used := m.Used()")
	for _, name := range o.names() {
		p.P("used += m.", p.slabName(o.types[name]), ".Fits(", o.room[name], ")")
	}
	p.P("if 2*used < ", sizeof, "(", block, "{})-", sizeof, "(", o.kind, "{}) {")
	p.P("return ", newObject, "[", o.kind, "](&m.", p.metadata(), ")")
	p.P("}")
	p.P("b := new(", block, ")")
	p.P("m.TakeFirst(&b.first)")
	for _, name := range o.names() {
		slab := p.slabName(o.types[name])
		p.P("m.", slab, ".Take(b.", slab, "[:])")
	}
	p.P("return &b.object")
	p.P("}")
	p.P()
}

var newObject = emit.Ident{Path: deepcopyPath, Name: "NewObject"}

// firstRoom is how many values of a type are allocated for metadata at once.
func firstRoom(t *types.Type) int64 {
	switch {
	case t == types.Bool:
		return 8
	case t == types.String:
		return 6
	case t.Kind == types.Builtin:
		return 2
	}
	return min(3, max(1, 96/max(1, size(t))))
}
