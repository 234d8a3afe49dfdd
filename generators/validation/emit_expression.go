package validation

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
)

// expression is the Go of an argument. breaks allows long ones to begin on a new line.
func (pr *printer) expression(value any, breaks bool) string {
	begin := ""
	if breaks {
		begin = "\n"
	}
	switch v := value.(type) {
	case string:
		return strconv.Quote(v)
	case raw:
		return string(v)
	case *types.Type:
		return pr.Type(v)
	case emit.Ident:
		return pr.Ident(v.Path, v.Name)
	case wrapper:
		if len(v.call.args) == 0 && v.call.level == "" {
			fn := pr.resolve(v.call.fn)
			return pr.Ident(fn.Path, fn.Name) + pr.typeArgs(v.call.typeArgs)
		}
		return begin + pr.signature(v.typ) + " {\nreturn " + pr.call(v.call) + "\n}"
	case sequence:
		return begin + pr.signature(v.typ) + " {\n" + pr.sequence(v.calls) + "\n}"
	case lambda:
		return begin + pr.lambda(v)
	case construct:
		return pr.construct(v)
	case literal:
		return begin + pr.literal(v)
	default:
		return fmt.Sprint(v)
	}
}

// signature begins a function value that validates values of a type.
func (pr *printer) signature(t *types.Type) string {
	list := pr.Ident(fieldPath, "ErrorList")
	return "func(ctx " + pr.Ident("context", "Context") + ", op " + pr.Ident(operationPath, "Operation") +
		", fldPath *" + pr.Ident(fieldPath, "Path") + ", obj, oldObj " + pr.Type(nilableForm(t)) + ") " + list
}

func (pr *printer) sequence(calls []call) string {
	var b strings.Builder
	b.WriteString("errs := " + pr.Ident(fieldPath, "ErrorList") + "{}\n")
	last := lastStop(calls)
	if last >= 0 {
		b.WriteString("earlyReturn := false\n")
	}
	for i, c := range calls {
		text := pr.call(c)
		switch {
		case c.stop:
			b.WriteString("if e := " + text + "; len(e) != 0 {\n")
			if !c.silent {
				b.WriteString("errs = append(errs, e...)\n")
			}
			b.WriteString("earlyReturn = true\n}\n")
		case c.silent:
			b.WriteString(text + "\n")
		default:
			b.WriteString("errs = append(errs, " + text + "...)\n")
		}
		if i == last {
			b.WriteString("if earlyReturn {\nreturn errs\n}\n")
		}
	}
	return b.String() + "return errs"
}

func (pr *printer) lambda(l lambda) string {
	var params []string
	for _, p := range l.params {
		params = append(params, p.name+" "+pr.Type(p.typ))
	}
	var body strings.Builder
	for _, piece := range l.body {
		switch piece := piece.(type) {
		case string:
			body.WriteString(piece)
		default:
			body.WriteString(pr.expression(piece, false))
		}
	}
	text := body.String()
	if strings.Contains(text, "\n") {
		text = "\n" + text + "\n"
	} else {
		text = " " + text + " "
	}
	return "func(" + strings.Join(params, ", ") + ") " + pr.Type(l.result) + " {" + text + "}"
}

func (pr *printer) construct(c construct) string {
	var args []string
	for _, a := range c.args {
		args = append(args, pr.expression(a, true))
	}
	return pr.Ident(c.fn.Path, c.fn.Name) + pr.typeArgs(c.typeArgs) + "(" + strings.Join(args, ", ") + ")"
}

func (pr *printer) literal(l literal) string {
	var b strings.Builder
	if l.slice {
		b.WriteString("[]")
	}
	b.WriteString(pr.Ident(l.typ.Path, l.typ.Name))
	var args []typeArg
	for _, t := range l.typeArgs {
		args = append(args, typeArg{t: t})
	}
	b.WriteString(pr.typeArgs(args) + "{\n")
	for _, f := range l.fields {
		if f.name != "" {
			b.WriteString(f.name + ": ")
		}
		text := pr.expression(f.value, false)
		if l.slice { // the type of the elements is that of the slice
			if inner, ok := f.value.(literal); ok {
				text = text[strings.Index(text, "{\n"):]
				_ = inner
			}
		}
		b.WriteString(text + ",\n")
	}
	return b.String() + "}"
}

func (pr *printer) typeArgs(args []typeArg) string {
	if len(args) == 0 {
		return ""
	}
	var out []string
	for _, a := range args {
		if a.t != nil {
			out = append(out, pr.Type(a.t))
			continue
		}
		out = append(out, "*"+pr.Ident(a.pointee.Path, a.pointee.Name))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
