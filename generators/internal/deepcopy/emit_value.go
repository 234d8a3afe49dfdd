package deepcopy

import (
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// value prints the copy of one value. in and out are addressable expressions of n's type. out holds
// zero or, if shared is set, what an assignment of in has put there.
func (p *printer) value(n *node, in, out string, shared bool, depth int) {
	switch n.how {
	case assign:
		if !shared {
			p.P(out, " = ", in)
		}
	case generated, function:
		p.call(n, in, out)
	case manual:
		p.manual(n, in, out)
	case slice:
		p.slice(n, in, out, depth)
	case array:
		index := variable(depth)
		p.P("for ", index, " := range ", in, " {")
		p.value(n.elem, at(in, index), at(out, index), shared, depth+1)
		p.P("}")
	case mapping:
		p.mapping(n, in, out, depth)
	case pointer:
		p.P("if ", in, " != nil {")
		if slab := p.slab(n); slab != "" {
			p.take(slab, n.elem, in, out)
		} else {
			p.pointee(n.elem, in, out, depth)
		}
		p.P("}")
	case inline:
		if !shared {
			p.P(out, " = ", in)
		}
		p.fields(n, in, out, depth)
	case named:
		p.P("if ", in, " != nil {")
		p.P(out, " = ", receiver(in), ".DeepCopy", n.typ.Name.Name, "()")
		p.P("}")
	case dynamic:
		p.P(out, " = ", p.jsonFunction(), "(", in, ")")
	}
}

// whole prints the body of a function that copies in to *out, which may hold anything before.
func (p *printer) whole(n *node, in string) {
	out := "*out"
	switch {
	case n.how == inline && n.apart:
		p.apart(n)
	case n.how == inline:
		p.P("*out = *in")
		p.fields(n, in, out, 0)
	case n.how == slice || n.how == mapping || n.how == pointer || n.how == named || n.how == array:
		p.P(out, " = ", in)
		p.value(n, in, out, true, 0)
	default:
		p.value(n, in, out, false, 0)
	}
}

// fields prints what is left to do after the assignment of a struct.
func (p *printer) fields(n *node, in, out string, depth int) {
	for _, group := range p.groups(n.fields) {
		if len(group) > 1 {
			p.together(group, in, out, depth)
			continue
		}
		f := group[0]
		p.value(f.node, member(in, f.name), member(out, f.name), true, depth)
	}
}

// apart prints the copy of a struct field by field, so that fields with methods of their own are
// written only once.
func (p *printer) apart(n *node) {
	for _, group := range p.groups(n.fields) {
		for _, f := range group {
			if !f.node.writesAll() {
				p.P("out.", f.name, " = in.", f.name)
			}
		}
		if len(group) > 1 {
			p.together(group, "*in", "*out", 0)
			continue
		}
		f := group[0]
		p.value(f.node, "in."+f.name, "out."+f.name, true, 0)
	}
}

// writesAll tells whether the copy of a value writes all of it, nil too.
func (n *node) writesAll() bool {
	switch n.how {
	case generated, function, manual, dynamic:
		return true
	case mapping:
		return n.elem.how == assign
	}
	return false
}

// together prints the copy of pointers: those that are all set get their memory at once.
func (p *printer) together(group []field, in, out string, depth int) {
	var conditions []string
	for _, f := range group {
		conditions = append(conditions, member(in, f.name)+" != nil")
	}
	p.P("if ", strings.Join(conditions, " && "), " {")
	p.P("v := new(struct {")
	for _, f := range group {
		p.P(f.name, " ", f.node.elem.typ)
	}
	p.P("})")
	for _, f := range group {
		p.value(f.node.elem, "*"+member(in, f.name), "v."+f.name, false, depth)
		p.P(member(out, f.name), " = &v.", f.name)
	}
	p.P("} else {")
	for _, f := range group {
		p.value(f.node, member(in, f.name), member(out, f.name), true, depth)
	}
	p.P("}")
}

// call prints a call of a generated method or function.
func (p *printer) call(n *node, in, out string) {
	if n.how == function {
		p.callFunction(n, address(in), address(out))
		return
	}
	p.P(receiver(in), ".DeepCopyInto(", address(out), ")")
}

// callFunction prints a call of a function: with the memory that there is, except for objects.
func (p *printer) callFunction(n *node, in, out string) {
	if p.taking && p.memory.needs[n.typ] && !isObject(n.typ) {
		p.P(p.with(n.typ), "(", p.memoryFor(n.typ), ", ", in, ", ", out, ")")
		return
	}
	p.P(p.functionName(n.typ), "(", in, ", ", out, ")")
}

// manual prints a call of a hand-written method.
func (p *printer) manual(n *node, in, out string) {
	switch {
	case n.deep && (n.byValue || !n.into):
		p.P(out, " = ", star(n), receiver(in), ".DeepCopy()")
	default:
		p.P(receiver(in), ".DeepCopyInto(", address(out), ")")
	}
}

// star dereferences the result of a hand-written DeepCopy that returns a pointer.
func star(n *node) string {
	if n.byValue {
		return ""
	}
	return "*"
}

func (p *printer) slice(n *node, in, out string, depth int) {
	p.P("if ", in, " != nil {")
	if slab := p.slab(n); slab != "" {
		p.P(out, " = ", p.list(slab, n, in))
	} else {
		p.P(out, " = make(", n.typ, ", len(", in, "))")
	}
	if n.elem.how == assign {
		p.P("copy(", out, ", ", in, ")")
	} else {
		index := variable(depth)
		p.P("for ", index, " := range ", in, " {")
		p.value(n.elem, at(in, index), at(out, index), false, depth+1)
		p.P("}")
	}
	p.P("}")
}

func (p *printer) mapping(n *node, in, out string, depth int) {
	if n.elem.how == assign && p.mapsClone {
		p.P(out, " = ", emit.Ident{Path: "maps", Name: "Clone"}, "(", in, ")")
		return
	}
	key, val := "key", "val"
	if depth > 0 {
		key, val = key+variable(depth), val+variable(depth)
	}
	p.P("if ", in, " != nil {")
	p.P(out, " = make(", n.typ, ", len(", in, "))")
	p.P("for ", key, ", ", val, " := range ", in, " {")
	p.entry(n.elem, val, at(out, key), depth)
	p.P("}")
	p.P("}")
}

// entry prints the copy of a map's value, which has no address in the new map.
func (p *printer) entry(e *node, val, to string, depth int) {
	switch {
	case e.how == assign:
		p.P(to, " = ", val)
	case e.how == manual && e.deep:
		p.P(to, " = ", star(e), val, ".DeepCopy()")
	case e.how == dynamic:
		p.P(to, " = ", p.jsonFunction(), "(", val, ")")
	default:
		x := "x"
		if depth > 0 {
			x += variable(depth)
		}
		p.P("var ", x, " ", e.typ)
		p.value(e, val, x, false, depth+1)
		p.P(to, " = ", x)
	}
}

// pointee prints the copy of what in, which is not nil, points to.
func (p *printer) pointee(e *node, in, out string, depth int) {
	switch {
	case e.how == assign:
		p.P("v := *", in)
		p.P(out, " = &v")
	case e.how == manual && e.deep && e.byValue:
		p.P("v := ", operand(in), ".DeepCopy()")
		p.P(out, " = &v")
	case e.how == manual && e.deep:
		p.P(out, " = ", operand(in), ".DeepCopy()")
	case e.how == generated || e.how == manual:
		p.P(out, " = new(", e.typ, ")")
		p.P(operand(in), ".DeepCopyInto(", out, ")")
	case e.how == function:
		p.P(out, " = new(", e.typ, ")")
		p.callFunction(e, in, out)
	default:
		p.P(out, " = new(", e.typ, ")")
		p.value(e, "*"+in, "*"+out, false, depth)
	}
}

// jsonFunction returns the name of the function that copies JSON values, and asks for it.
func (p *printer) jsonFunction() string {
	if p.json == "" {
		p.json = "deepCopyJSONValue"
	}
	return p.json
}

// variable names the index of a loop in so many others.
func variable(depth int) string {
	const names = "ijklmnop"
	return names[depth%len(names) : depth%len(names)+1]
}

// member, at, address and receiver write expressions around one that may begin with a star.
func member(expr, name string) string { return receiver(expr) + "." + name }

func at(expr, index string) string {
	return operand(expr) + "[" + index + "]"
}

// operand is an expression that a selector may follow.
func operand(expr string) string {
	if strings.HasPrefix(expr, "*") {
		return "(" + expr + ")"
	}
	return expr
}

func address(expr string) string {
	if pointer, ok := strings.CutPrefix(expr, "*"); ok {
		return pointer
	}
	return "&" + expr
}

// receiver is what a selector may follow: one star is not needed there.
func receiver(expr string) string {
	return operand(strings.TrimPrefix(expr, "*"))
}
