package json

import (
	gotypes "go/types"
	"slices"
	"strconv"
	"strings"
)

// readFunc prints the function that reads a type.
func (p *printer) readFunc(f *function) {
	name := p.verb("readJSON_", f)
	if f.name != "" {
		p.P("// ", name, " reads a JSON value into out, which is empty. What is wrong with it is asked of r afterwards.")
	}
	p.P("func ", name, "(r *", p.json, ".Reader, out *", p.typ(f.typ), ") {")
	if f.body.read != byFields {
		p.read(f.body, star("out"))
		p.P("}")
		p.P()
		return
	}
	p.P("if !r.BeginObject(", strconv.Quote(f.body.text), ") {")
	p.P("return")
	p.P("}")
	words := (len(f.fields) + 63) / 64
	switch {
	case words == 1:
		p.P("var seen uint64")
	case words > 1:
		p.P("var seen [", words, "]uint64")
	}
	p.P("for r.NextField(", strconv.Quote(f.body.text), ") {")
	if len(f.fields) > 0 {
		p.P("switch r.Name() {")
		for i, field := range f.fields {
			p.P("case ", strconv.Quote(field.name), ":")
			if words > 1 {
				p.P("r.Once(&seen[", i/64, "], ", i%64, ")")
			} else {
				p.P("r.Once(&seen, ", i, ")")
			}
			p.readField(field)
		}
		p.P("default:")
	}
	p.P("r.Unknown()")
	if len(f.fields) > 0 {
		p.P("}")
	}
	p.P("}")
	p.P("}")
	p.P()
}

// readField prints how the value of a field is read, after making the embedded pointers on the way
// to it.
func (p *printer) readField(f *field) {
	for _, step := range pointersOn(f) {
		v, at := f.path[step-1], p.fieldRef("out", f, step).value
		target := deref(v.Type())
		p.P("if ", at, " == nil {")
		if !v.Exported() {
			p.P("r.Unreachable(", strconv.Quote(reflectText(target)), ")")
			p.P("continue")
		} else {
			p.P(at, " = new(", p.typ(target), ")")
		}
		p.P("}")
	}
	out := p.fieldRef("out", f, len(f.path))
	if f.quoted {
		p.readQuoted(f.node, out)
	} else {
		p.read(f.node, out)
	}
	if f.inner != "" {
		p.P("r.Inside(", strconv.Quote(f.inner), ")")
	}
}

// read prints the statements that read a value.
func (p *printer) read(n *node, out ref) {
	switch n.read {
	case asPointer:
		if p.readPointer(n, out) {
			return
		}
		p.P("if ", p.json, ".Pointer(r, ", out.pointer, ") {")
		elem := n.elem
		if elem.read == byText { // errors name the pointer
			elem = &node{typ: elem.typ, text: n.text, read: byText}
		}
		p.read(elem, star(out.value))
		p.P("}")
	case byText:
		if !n.nullable {
			p.P("r.UnmarshalText(", out.pointer, ", ", strconv.Quote(n.text), ")")
			return
		}
		p.P("if r.Null() {")
		p.P(out.value, " = nil")
		p.P("} else {")
		p.P("r.UnmarshalText(", out.pointer, ", ", strconv.Quote(n.text), ")")
		p.P("}")
	case asDynamic:
		p.P("if r.Null() {")
		p.P(out.value, " = nil")
		p.P("} else {")
		p.P("r.Dynamic(", strconv.Quote(n.text), ")")
		p.P("}")
	default:
		p.P(p.reading(n, out))
	}
}

// readPointer prints the line that reads what a pointer points to, where the runtime has a function
// for it.
func (p *printer) readPointer(n *node, out ref) bool {
	_, named := n.typ.(*gotypes.Named)
	switch elem, method := n.elem, p.method(n.elem); {
	case !named && slices.Contains([]string{"String", "Bool", "Int32", "Int64"}, method):
		p.P("r.", method, "Pointer(", out.pointer, ")")
	case elem.read == asText:
		p.P(p.json, ".ReadStringPointer(r, ", out.pointer, ", ", strconv.Quote(elem.text), ")")
	default:
		return false
	}
	return true
}

// methods read values of these types.
var methods = map[string]string{
	"string": "String", "bool": "Bool", "int32": "Int32", "int64": "Int64", "float64": "Float64",
	"[]uint8": "Bytes", "json.Number": "Number", "json.RawMessage": "RawMessage", "interface {}": "Any",
}

// method is the name of the Reader's method that reads values of a node, "" if there is none.
func (p *printer) method(n *node) string {
	switch n.read {
	case asText, asBool, asInt, asFloat, asBytes, asAny:
		if _, named := n.typ.(*gotypes.Named); named || n.read == asBytes && n.elem.text != "uint8" {
			return ""
		}
		return methods[n.text]
	case asNumber, asRaw:
		return methods[n.text]
	}
	return ""
}

// reading is the call that reads a value.
func (p *printer) reading(n *node, out ref) string {
	if m := p.method(n); m != "" {
		return "r." + m + "(" + out.pointer + ")"
	}
	call := func(function string, args ...string) string {
		return p.json + "." + function + "(" + strings.Join(append([]string{"r", out.pointer, strconv.Quote(n.text)}, args...), ", ") + ")"
	}
	switch n.read {
	case byJSON:
		return "r.Unmarshal(" + out.pointer + ")"
	case byCall:
		return p.callee("readJSON_", n) + "(r, " + out.pointer + ")"
	case asText:
		return call("ReadString")
	case asBool:
		return call("ReadBool")
	case asInt:
		return call("ReadInt")
	case asFloat:
		return call("ReadFloat")
	case asAny:
		return "r.Any((*any)(" + out.pointer + "))"
	case asBytes:
		return call("ReadBytes", p.reader(n.elem))
	case asSlice:
		return call("ReadSlice", p.reader(n.elem))
	case asArray:
		return p.json + ".ReadArray(r, " + out.operand() + "[:], " + strconv.Quote(n.text) + ", " + p.reader(n.elem) + ")"
	case asMap:
		switch n.readKeys {
		case intKeys:
			return call("ReadIntMap", strconv.Quote(n.keyText), p.reader(n.elem))
		case textKeys:
			return call("ReadTextMap", p.reader(n.elem))
		}
		return call("ReadMap", p.reader(n.elem))
	default: // nowise
		return "r.Mismatch(" + strconv.Quote(n.text) + ")"
	}
}

// reader is a function value that reads values of a node.
func (p *printer) reader(n *node) string {
	if m := p.method(n); m != "" {
		return "(*" + p.json + ".Reader)." + m
	}
	if n.read == byCall {
		return p.callee("readJSON_", n)
	}
	body := p.aside(func() { p.read(n, star("out")) })
	return "func(r *" + p.json + ".Reader, out *" + p.typ(n.typ) + ") {\n" + body + "}"
}

// readQuoted prints how the value of a field with the option "string" is read.
func (p *printer) readQuoted(n *node, out ref) {
	field := strconv.Quote(n.text)
	pointer := n.read == asPointer
	if pointer {
		p.P("if r.Null() {")
		p.P(out.value, " = nil")
		p.P("} else if inside, ok := r.Quoted(", field, "); ok && ", p.json, ".QuotedPointer(r, inside, ", out.pointer, ", ", field, ") {")
		n, out = n.elem, star(out.value)
	} else {
		p.P("if inside, ok := r.Quoted(", field, "); ok {")
	}
	typ := strconv.Quote(n.text)
	switch n.read {
	case byJSON:
		p.P("r.QuotedUnmarshal(inside, ", out.pointer, ")")
	case byText:
		p.P("r.QuotedUnmarshalText(inside, ", out.pointer, ", ", typ, ")")
	case asNumber:
		p.P(p.json, ".QuotedNumber(r, inside, ", out.pointer, ", ", typ, ")")
	default:
		function := map[how]string{asText: "QuotedString", asBool: "QuotedBool", asInt: "QuotedInt", asFloat: "QuotedFloat"}[n.read]
		p.P(p.json, ".", function, "(r, inside, ", out.pointer, ", ", typ, ")")
	}
	p.P("}")
}
