package json

import (
	gotypes "go/types"
	"slices"
	"strconv"
	"strings"
)

// appendFunc prints the function that writes a type.
func (p *printer) appendFunc(f *function) {
	name := p.verb("appendJSON_", f)
	if f.name != "" {
		p.P("// ", name, " appends in as JSON, as encoding/json writes it. After an error what it appended is of no use.")
	}
	p.P("func ", name, "(dst []byte, in *", p.typ(f.typ), ") ([]byte, error) {")
	if f.body.write != byFields {
		p.returns(f.body, star("in"))
		p.P("}")
		p.P()
		return
	}
	fails := slices.ContainsFunc(f.fields, func(field *field) bool { return field.node.fails() })
	if p.mayHaveFailed = false; fails {
		p.P("var err error")
	}
	p.P("start := len(dst)")
	for _, field := range f.fields {
		p.appendField(field)
	}
	p.P("return ", p.json, ".Close(dst, start), ", errorOf(fails))
	p.P("}")
	p.P()
}

// errorOf is the error that a function returns whose parts fail or don't.
func errorOf(fails bool) string {
	if fails {
		return "err"
	}
	return "nil"
}

// fails tells whether writing can go wrong.
func (n *node) fails() bool {
	switch n.write {
	case asText, asBool, asInt, asBytes:
		return false
	case asSlice:
		return n.elem.write != asText
	case asMap:
		return n.writeKeys != stringKeys || n.elem.fails()
	case asPointer:
		return n.elem.fails()
	}
	return true
}

// behind prints what appends the value behind a pointer, or null.
func (p *printer) behind(in ref, filled bool, appendValue func(ref)) {
	if !filled {
		p.P("if ", in.value, " == nil {")
		p.P("dst = append(dst, `null`...)")
		p.P("} else {")
		defer p.P("}")
	}
	appendValue(star(in.value))
}

// append prints the statements that append a value: nothing that can go wrong after an error.
// filled says that a pointer is not nil.
func (p *printer) append(n *node, in ref, filled bool) {
	if n.write == asPointer {
		p.behind(in, filled, func(in ref) { p.append(n.elem, in, false) })
		return
	}
	if n.byLoop() {
		if !filled {
			p.P("if ", in.value, " == nil {")
			p.P("dst = append(dst, `null`...)")
			p.P("} else {")
			defer p.P("}")
		}
		p.P("open := len(dst)")
		p.mapLoop(n, in)
		p.P("dst = ", p.json, ".Close(dst, open)")
		return
	}
	if n.fails() {
		p.P("if err == nil {")
		p.P("dst, err = ", p.appended("dst", n, in))
		p.P("}")
		return
	}
	p.P("dst = ", p.appended("dst", n, in))
}

// returns prints the statements that append a value and return.
func (p *printer) returns(n *node, in ref) {
	switch {
	case n.write == asPointer:
		p.P("if ", in.value, " == nil {")
		p.P("return append(dst, `null`...), nil")
		p.P("}")
		p.returns(n.elem, star(in.value))
	case n.byLoop():
		p.P("if ", in.value, " == nil {")
		p.P("return append(dst, `null`...), nil")
		p.P("}")
		if n.fails() {
			p.P("var err error")
		}
		p.P("open := len(dst)")
		p.mapLoop(n, in)
		p.P("return ", p.json, ".Close(dst, open), ", errorOf(n.fails()))
	case n.fails():
		p.P("return ", p.appended("dst", n, in))
	default:
		p.P("return ", p.appended("dst", n, in), ", nil")
	}
}

// appended is the expression that appends a value that is no pointer to dst.
func (p *printer) appended(dst string, n *node, in ref) string {
	call := func(function string, args ...string) string {
		return p.json + "." + function + "(" + strings.Join(append([]string{dst}, args...), ", ") + ")"
	}
	switch n.write {
	case byJSON:
		return call("AppendMarshaler", in.pointer, strconv.Quote(n.text))
	case byText:
		return call("AppendTextMarshaler", in.pointer, strconv.Quote(n.text))
	case byCall:
		return p.callee("appendJSON_", n) + "(" + dst + ", " + in.pointer + ")"
	case asText:
		return call("AppendString", in.value)
	case asBool:
		return call("AppendBool", in.value)
	case asInt:
		if n.typ.Underlying().(*gotypes.Basic).Info()&gotypes.IsUnsigned != 0 {
			return call("AppendUint", in.value)
		}
		return call("AppendInt", in.value)
	case asFloat:
		return call("AppendFloat", in.value)
	case asNumber:
		return call("AppendNumber", in.value)
	case asRaw:
		return call("AppendRawMessage", in.pointer)
	case asBytes:
		return call("AppendBytes", in.value)
	case asSlice:
		if n.elem.write == asText {
			return call("AppendStrings", in.value)
		}
		return call("AppendSlice", in.value, p.appender(n.elem))
	case asArray:
		return call("AppendArray", in.operand()+"[:]", p.appender(n.elem))
	case asMap:
		return p.appendedMap(n, in, call)
	default: // asAny, asDynamic
		return call("AppendAny", in.value)
	}
}

func (p *printer) appendedMap(n *node, in ref, call func(string, ...string) string) string {
	switch n.writeKeys {
	case intKeys:
		return call("AppendIntMap", in.value, p.appender(n.elem))
	case textKeys:
		return call("AppendTextMap", in.value, strconv.Quote(n.text), p.appender(n.elem))
	}
	return call("AppendStringMap", in.value)
}

// byLoop tells whether a value is a map that is written by a loop in the printed code. Values have
// an address there without being allocated for it, as they are for a function that is given another
// one.
func (n *node) byLoop() bool {
	return n.write == asMap && n.writeKeys == stringKeys && n.elem.write != asText
}

// mapLoop prints the loop over the entries of a map, each with a comma before it.
func (p *printer) mapLoop(n *node, in ref) {
	p.P("for key, value := range ", p.json, ".Sorted(", in.value, ") {")
	p.P("dst = ", p.json, ".AppendKey(dst, key)")
	p.append(n.elem, ref{"value", "&value"}, false)
	p.P("}")
}

// appender is a function value that appends values of a node.
func (p *printer) appender(n *node) string {
	if n.write == byCall {
		return p.callee("appendJSON_", n)
	}
	body := p.aside(func() { p.returns(n, star("in")) })
	return "func(dst []byte, in *" + p.typ(n.typ) + ") ([]byte, error) {\n" + body + "}"
}
