package printer

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
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
	case plan.Raw:
		return string(v)
	case *types.Type:
		return pr.Type(v)
	case emit.Ident:
		return pr.Ident(v.Path, v.Name)
	case plan.Wrapper:
		if len(v.Call.Args) == 0 && v.Call.Level == "" {
			fn := pr.resolve(v.Call.Func)
			return pr.Ident(fn.Path, fn.Name) + pr.typeArgs(v.Call.TypeArgs)
		}
		return begin + pr.signature(v.Type) + " {\nreturn " + pr.call(v.Call) + "\n}"
	case plan.Sequence:
		return begin + pr.signature(v.Type) + " {\n" + pr.sequence(v.Calls) + "\n}"
	case plan.Lambda:
		return begin + pr.lambda(v)
	case plan.Construct:
		return pr.construct(v)
	case plan.Literal:
		return begin + pr.literal(v)
	default:
		return fmt.Sprint(v)
	}
}

// signature begins a function value that validates values of a type.
func (pr *printer) signature(t *types.Type) string {
	list := pr.Ident(plan.FieldPath, "ErrorList")
	return "func(ctx " + pr.Ident("context", "Context") + ", op " + pr.Ident(plan.OperationPath, "Operation") +
		", fldPath *" + pr.Ident(plan.FieldPath, "Path") + ", obj, oldObj " + pr.Type(shape.NilableForm(t)) + ") " + list
}

func (pr *printer) sequence(calls []plan.Call) string {
	var b strings.Builder
	b.WriteString("errs := " + pr.Ident(plan.FieldPath, "ErrorList") + "{}\n")
	last := lastStop(calls)
	if last >= 0 {
		b.WriteString("earlyReturn := false\n")
	}
	for i, c := range calls {
		text := pr.call(c)
		switch {
		case c.Stop:
			b.WriteString("if e := " + text + "; len(e) != 0 {\n")
			if !c.Silent {
				b.WriteString("errs = append(errs, e...)\n")
			}
			b.WriteString("earlyReturn = true\n}\n")
		case c.Silent:
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

func (pr *printer) lambda(l plan.Lambda) string {
	var params []string
	for _, p := range l.Params {
		params = append(params, p.Name+" "+pr.Type(p.Type))
	}
	var body strings.Builder
	for _, piece := range l.Body {
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
	return "func(" + strings.Join(params, ", ") + ") " + pr.Type(l.Result) + " {" + text + "}"
}

func (pr *printer) construct(c plan.Construct) string {
	var args []string
	for _, a := range c.Args {
		args = append(args, pr.expression(a, true))
	}
	return pr.Ident(c.Func.Path, c.Func.Name) + pr.typeArgs(c.TypeArgs) + "(" + strings.Join(args, ", ") + ")"
}

func (pr *printer) literal(l plan.Literal) string {
	var b strings.Builder
	if l.Slice {
		b.WriteString("[]")
	}
	b.WriteString(pr.Ident(l.Type.Path, l.Type.Name))
	var args []plan.TypeArg
	for _, t := range l.TypeArgs {
		args = append(args, plan.TypeArg{Type: t})
	}
	b.WriteString(pr.typeArgs(args) + "{\n")
	for _, f := range l.Fields {
		if f.Name != "" {
			b.WriteString(f.Name + ": ")
		}
		text := pr.expression(f.Value, false)
		if l.Slice { // the type of the elements is that of the slice
			if inner, ok := f.Value.(plan.Literal); ok {
				text = text[strings.Index(text, "{\n"):]
				_ = inner
			}
		}
		b.WriteString(text + ",\n")
	}
	return b.String() + "}"
}

func (pr *printer) typeArgs(args []plan.TypeArg) string {
	if len(args) == 0 {
		return ""
	}
	var out []string
	for _, a := range args {
		if a.Type != nil {
			out = append(out, pr.Type(a.Type))
			continue
		}
		out = append(out, "*"+pr.Ident(a.Pointee.Path, a.Pointee.Name))
	}
	return "[" + strings.Join(out, ", ") + "]"
}
