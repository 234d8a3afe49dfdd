package deepcopy

import (
	"maps"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"

	"k8s.io/gengo/v2/types"
)

// slabName is the field of deepCopyMemory that has the slab for a type.
func (p *printer) slabName(t *types.Type) string {
	if name := runtimeSlabs[t.Name]; name != "" && p.memory.shared {
		return name
	}
	if t.Kind == types.Builtin {
		return t.Name.Name + "s"
	}
	return strings.ReplaceAll(p.Type(t), ".", "_")
}

// slab is the name of the slab that a copy takes from; "" if it allocates.
func (p *printer) slab(n *node) string {
	if !p.taking {
		return ""
	}
	if t := p.memory.slab(p.own, n); t != nil {
		return p.slabName(t)
	}
	return ""
}

// take prints the copy of what in, which is not nil, points to, to memory from a slab.
func (p *printer) take(slab string, e *node, in, out string) {
	if one := "m." + slab + ".One()"; e.typ.Kind == types.Alias {
		p.P(out, " = (*", e.typ, ")(", one, ")")
	} else {
		p.P(out, " = ", one)
	}
	switch e.how {
	case function:
		p.callFunction(e, in, out)
	case generated, manual:
		p.P(operand(in), ".DeepCopyInto(", out, ")")
	default:
		p.P("*", out, " = *", in)
	}
}

// with and counting are the names of the functions that copy a type to memory that was counted
// before, and that count it.
func (p *printer) with(t *types.Type) string {
	if p.memory.ofRuntime(t) {
		return p.Ident(deepcopyPath, "Copy"+t.Name.Name)
	}
	return strings.Replace(p.functionName(t), "deepCopy", "deepCopyWith", 1)
}

func (p *printer) counting(t *types.Type) string {
	if p.memory.ofRuntime(t) {
		return p.Ident(deepcopyPath, "Count"+t.Name.Name)
	}
	return strings.Replace(p.functionName(t), "deepCopy", "deepCopyCount", 1)
}

// memoryType is the type of the memory that a function takes from.
func (p *printer) memoryType(t *types.Type) string {
	switch o := p.memory.own[t]; {
	case o != nil:
		return p.ownName(o, "deepCopyMemory")
	case p.memory.wide[t]:
		return "deepCopyMemory"
	}
	return p.Ident(deepcopyPath, "Memory")
}

// metadata is the field of other memory that has the memory for metadata.
func (p *printer) metadata() string {
	if p.memory.shared {
		return "Memory"
	}
	return copiedName("Memory")
}

// memoryFor is the memory to hand to a function.
func (p *printer) memoryFor(t *types.Type) string {
	if p.wide && !p.memory.wide[t] || p.own != nil && p.memory.own[t] == nil {
		return "&m." + p.metadata()
	}
	return "m"
}

// list is memory from a slab for a list as long as in.
func (p *printer) list(slab string, n *node, in string) string {
	list := "m." + slab + ".List(len(" + in + "))"
	if n.elem.typ.Kind == types.Alias {
		pointer := "(*" + p.Type(n.elem.typ) + ")(" + p.Ident("unsafe", "SliceData") + "(" + list + "))"
		return p.Ident("unsafe", "Slice") + "(" + pointer + ", len(" + in + "))"
	}
	return list
}

// entryFunction prints the function that copies a type for those who have no memory for it.
func (p *printer) entryFunction(t *types.Type) {
	name := p.functionName(t)
	p.P("// ", name, " copies in to memory that it gets for all of it at once, as far as that is worth it.")
	p.P("func ", name, "(in, out *", t, ") {")
	p.P("var m ", p.memoryType(t))
	if p.memory.counts[t] {
		p.P(p.counting(t), "(&m, in)")
		p.P("m.Prepare()")
		p.firsts = true
	}
	p.P(p.with(t), "(&m, in, out)")
	p.P("}")
	p.P()
}

// countFunction prints the function that counts what the copy of a type takes from slabs.
func (p *printer) countFunction(fn foreign) {
	name := p.counting(fn.typ)
	p.P("// ", name, " counts what ", p.with(fn.typ), " takes.")
	p.P("func ", name, "(m *", p.memoryType(fn.typ), ", in *", fn.typ, ") {")
	p.count(fn.body, "*in", 0)
	p.P("}")
	p.P()
}

// count prints what counts the values that the copy of in takes from slabs.
func (p *printer) count(n *node, in string, depth int) {
	if !p.memory.counted(p.own, n) {
		return
	}
	slab := p.slab(n)
	switch n.how {
	case function:
		p.P(p.counting(n.typ), "(", p.memoryFor(n.typ), ", ", address(in), ")")
	case slice:
		if slab != "" {
			p.P("m.", slab, ".Want += len(", in, ")")
		}
		p.countItems(n, in, depth)
	case array:
		p.countItems(n, in, depth)
	case pointer:
		p.P("if ", in, " != nil {")
		if slab != "" {
			p.P("m.", slab, ".Want++")
		}
		p.count(n.elem, "*"+in, depth)
		p.P("}")
	case inline:
		for _, f := range n.fields {
			p.count(f.node, member(in, f.name), depth)
		}
	}
}

func (p *printer) countItems(n *node, in string, depth int) {
	if !p.memory.counted(p.own, n.elem) {
		return
	}
	index := variable(depth)
	p.P("for ", index, " := range ", in, " {")
	p.count(n.elem, at(in, index), depth+1)
	p.P("}")
}

// slabs prints the types that have the memory for a copy, as far as the runtime has not got them.
func (p *printer) slabs() error {
	if !p.memory.shared {
		p.P("// deepCopyMetaMemory has the memory for a copy: values of one type lie side by side. Whoever keeps a pointer or a list")
		p.P("// of the copy keeps those of its object; a list has no room for more, so what is appended goes elsewhere.")
		p.P("type deepCopyMetaMemory struct {")
		p.slabFields(p.memory.first)
		p.P("}")
		p.P()
	}
	if len(p.memory.wide) > 0 {
		p.P("// deepCopyMemory is that for what has more than metadata.")
		p.P("type deepCopyMemory struct {")
		p.P(emit.Ident{Path: deepcopyPath, Name: "Memory"})
		p.slabFields(slices.DeleteFunc(slices.SortedFunc(maps.Keys(p.memory.slabs), byName), func(name types.Name) bool {
			return slices.Contains(p.memory.first, name)
		}))
		p.P("}")
		p.P()
	}
	if !p.memory.shared {
		p.firstMemory()
	}
	p.ownMemory()
	if p.memory.shared {
		return nil
	}
	slab := map[string]bool{"Slab": true, "One": true, "List": true, "Fits": true, "Take": true}
	return slabSource.Print(p.File, slab, func(string) bool { return false })
}

func (p *printer) slabFields(names []types.Name) {
	for _, name := range names {
		t := p.memory.slabs[name]
		p.P(p.slabName(t), " ", emit.Ident{Path: deepcopyPath, Name: "Slab"}, "[", t, "]")
	}
}

var sizeof = emit.Ident{Path: "unsafe", Name: "Sizeof"}

func byName(a, b types.Name) int { return strings.Compare(a.String(), b.String()) }
