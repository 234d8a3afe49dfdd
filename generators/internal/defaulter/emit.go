package defaulter

import (
	"fmt"
	"strconv"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"k8s.io/gengo/v2/types"
)

const (
	indexes = "ijklmnop"
	locals  = "abcdefgh"
)

// printer prints a plan.
type printer struct{ *emit.File }

func (p printer) plan(plan *plan) {
	p.Reserve("in", "scheme", "obj")
	for i := range indexes {
		p.Reserve(indexes[i:i+1], locals[i:i+1])
	}
	p.P("// RegisterDefaults adds defaulters functions to the given scheme.")
	p.P("// Public to allow building arbitrary schemes.")
	p.P("// All generated defaulters are covering - they call all nested defaulters.")
	p.P("func RegisterDefaults(scheme *", emit.Ident{Path: runtimePackage, Name: "Scheme"}, ") error {")
	for _, t := range plan.register {
		p.P("scheme.AddTypeDefaultingFunc(&", t, "{}, func(obj interface{}) { ", objectPrefix, t.Name.Name, "(obj.(*", t, ")) })")
	}
	p.P("return nil")
	p.P("}")
	for _, f := range plan.functions {
		p.P()
		if _, isRoot := rootName(f.name); !isRoot {
			p.P("// ", f.name, " fills a value of a type that can hold others of its type.")
		}
		p.P("func ", f.name, "(in *", f.typ, ") {")
		body := body{printer: p}
		body.steps(f.steps, spot{expr: "in", pointer: true}, 0)
		p.P("}")
	}
}

// spot is an expression for a place: an addressable one of the place's type, or a pointer to it.
type spot struct {
	expr    string
	pointer bool
}

func (s spot) value() string {
	if s.pointer {
		return "(*" + s.expr + ")"
	}
	return s.expr
}

func (s spot) address() string {
	if s.pointer {
		return s.expr
	}
	return "&" + s.expr
}

// body prints one function.
type body struct{ printer }

func (b body) steps(steps []step, at spot, depth int) {
	for _, s := range steps {
		b.step(s, at, depth)
	}
}

func (b body) step(s step, at spot, depth int) {
	switch s := s.(type) {
	case fill:
		b.fill(s, at)
	case call:
		b.P(emit.Ident{Path: s.function.Package, Name: s.function.Name}, "(", at.address(), ")")
	case field:
		b.steps(s.steps, spot{expr: at.expr + "." + s.name}, depth)
	case deref:
		b.P("if ", at.value(), " != nil {")
		b.steps(s.steps, spot{expr: at.value(), pointer: true}, depth)
		b.P("}")
	case each:
		b.each(s, at, depth)
	case eachValue:
		b.eachValue(s, at, depth)
	}
}

// each visits elements where they are: a literal by index, everything else by a pointer.
func (b body) each(s each, at spot, depth int) {
	index, local := variable(indexes, depth), variable(locals, depth)
	element := spot{expr: at.value() + "[" + index + "]"}
	b.P("for ", index, " := range ", at.value(), " {")
	steps := s.steps
	if f, ok := steps[0].(fill); ok {
		b.fill(f, element)
		steps = steps[1:]
	}
	if len(steps) > 0 {
		if _, isPointer := steps[0].(deref); isPointer {
			b.P(local, " := ", element.expr)
			b.steps(steps, spot{expr: local}, depth+1)
		} else {
			b.P(local, " := &", element.expr)
			b.steps(steps, spot{expr: local, pointer: true}, depth+1)
		}
	}
	b.P("}")
}

// eachValue visits copies of the values, because those in a map have no address, and puts them back
// if they change.
func (b body) eachValue(s eachValue, at spot, depth int) {
	key, local := variable(indexes, depth), variable(locals, depth)
	back := changes(s.steps)
	if !back {
		key = "_"
	}
	b.P("for ", key, ", ", local, " := range ", at.value(), " {")
	b.steps(s.steps, spot{expr: local}, depth+1)
	if back {
		b.P(at.value(), "[", key, "] = ", local)
	}
	b.P("}")
}

// changes tells whether steps change a value itself, not only what it points to.
func changes(steps []step) bool {
	for _, s := range steps {
		switch s := s.(type) {
		case fill, call:
			return true
		case field:
			if changes(s.steps) {
				return true
			}
		case each:
			if s.array && changes(s.steps) {
				return true
			}
		}
	}
	return false
}

func variable(names string, depth int) string {
	if depth < len(names) {
		return names[depth : depth+1]
	}
	return fmt.Sprintf("%s%d", names[:1], depth)
}

func (b body) fill(f fill, at spot) {
	v := values{printer: b.printer}
	condition := ""
	for i, t := range f.unset {
		if i > 0 {
			condition += " && "
		}
		zero := v.expr(t.zero)
		if _, ok := t.zero.(composite); ok {
			zero = "(" + zero + ")"
		}
		if t.path == "" {
			condition += at.value() + " == " + zero
		} else {
			condition += at.expr + t.path + " == " + zero
		}
	}
	b.P("if ", condition, " {")
	text := v.expr(f.value)
	for _, line := range v.before {
		b.P(line)
	}
	b.P(at.value(), " = ", text)
	b.P("}")
}

// values writes expressions; those that need a variable leave its declaration in before.
type values struct {
	printer
	before []string
	made   int
}

func (v *values) expr(of value) string {
	switch of := of.(type) {
	case literal:
		return string(of)
	case reference:
		return v.Ident(of.Package, of.Name)
	case conversion:
		return v.converted(of.typ) + "(" + v.expr(of.of) + ")"
	case product:
		unit := v.Ident(of.unit.Package, of.unit.Name)
		if of.count == 1 {
			return unit
		}
		return fmt.Sprintf("%d * %s", of.count, unit)
	case invocation:
		text := v.Ident(of.function.Package, of.function.Name) + "("
		for i, arg := range of.args {
			if i > 0 {
				text += ", "
			}
			text += v.expr(arg)
		}
		return text + ")"
	case pointer:
		return v.pointer(of)
	case composite:
		return v.composite(of)
	case decoded:
		return v.decoded(of)
	}
	return ""
}

// decoded reads a variable. Only the type knows whether it can read the text, so a default that it
// can't read is noticed when it is set.
func (v *values) decoded(of decoded) string {
	v.made++
	name := fmt.Sprintf("decoded%d", v.made)
	v.before = append(v.before,
		"var "+name+" "+v.Type(of.typ),
		"if err := "+v.Ident("encoding/json", "Unmarshal")+"([]byte("+strconv.Quote(string(of.raw))+"), &"+name+"); err != nil {",
		"panic("+v.Ident("fmt", "Errorf")+`("a default of `+of.typ.Name.Name+`: %w", err))`,
		"}")
	return name
}

// converted writes a type so that a parenthesis may follow.
func (v *values) converted(t *types.Type) string {
	text := v.Type(t)
	if text[0] == '*' {
		return "(" + text + ")"
	}
	return text
}

func (v *values) composite(of composite) string {
	text := v.Type(of.typ) + "{"
	for i, e := range of.elements {
		if i > 0 {
			text += ", "
		}
		if e.key != nil {
			text += v.expr(e.key) + ": "
		}
		text += v.expr(e.value)
	}
	return text + "}"
}

// pointer takes the address of a composite, and of anything else after putting it in a variable.
func (v *values) pointer(of pointer) string {
	if c, ok := of.to.(composite); ok {
		return "&" + v.composite(c)
	}
	v.made++
	name := fmt.Sprintf("ptrVar%d", v.made)
	text := v.expr(of.to)
	switch of.to.(type) {
	case decoded:
		return "&" + text
	case conversion, invocation:
		v.before = append(v.before, name+" := "+text)
	default:
		v.before = append(v.before, "var "+name+" "+v.Type(of.elem)+" = "+text)
	}
	return "&" + name
}
