package validation

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

// translator makes Go of one rule.
type translator struct {
	p    *planner
	site *site
	name string
	vars []variable
	// locals are the variables of all and exists.
	locals  map[string]value
	usesOld bool
	loops   int
}

// value is a Go expression with its type.
type value struct {
	code []any
	typ  *types.Type
	// guards are conditions for the value to be there: in CEL, what is not there makes the rule fail.
	guards []any
	// constant says that it is a literal, which takes the type of what it is compared with.
	constant bool
	// member is the field it was read from.
	member *types.Member
}

var celOperators = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

// condition translates something that is true or false.
func (tr *translator) condition(e *cel.Expr) ([]any, error) {
	switch {
	case e.Op == cel.Literal && e.Name != "null":
		return []any{e.Name}, nil
	case e.Op == cel.Not:
		return tr.not(e.Args[0])
	case e.Op == cel.Binary && (e.Name == "&&" || e.Name == "||"):
		return tr.join(e.Args[0], e.Name, e.Args[1])
	case e.Op == cel.Binary && celOperators[e.Name]:
		v, err := tr.compare(e)
		return guarded(v), err
	case e.Op == cel.Binary && e.Name == "in":
		v, err := tr.in(e)
		return guarded(v), err
	case e.Op == cel.If:
		yes, err := tr.join(e.Args[0], "&&", e.Args[1])
		if err != nil {
			return nil, err
		}
		no, err := tr.join(&cel.Expr{Op: cel.Not, Args: e.Args[:1], Source: "!" + e.Args[0].Source}, "&&", e.Args[2])
		return parens(yes, " || ", no), err
	case e.Op == cel.Call && e.Name == "has" && len(e.Args) == 1 && e.On == nil:
		v, err := tr.has(e.Args[0])
		return guarded(v), err
	case e.Op == cel.Call && e.On != nil && (e.Name == "all" || e.Name == "exists"):
		return tr.loop(e)
	case e.Op == cel.Call && e.On != nil:
		v, err := tr.method(e)
		return guarded(v), err
	}
	v, err := tr.value(e)
	if err != nil {
		return nil, err
	}
	if !isBool(native(v.typ)) {
		return nil, fmt.Errorf("%s is neither true nor false", e.Source)
	}
	return guarded(v), nil
}

// not negates. What a comparison needs to exist must exist for its negation too.
func (tr *translator) not(e *cel.Expr) ([]any, error) {
	var v value
	var err error
	switch {
	case e.Op == cel.Binary && celOperators[e.Name]:
		v, err = tr.compare(e)
	case e.Op == cel.Binary && e.Name == "in":
		v, err = tr.in(e)
	case e.Op == cel.Call && e.Name == "has" && len(e.Args) == 1 && e.On == nil:
		v, err = tr.has(e.Args[0])
	case e.Op == cel.Call && e.On != nil && e.Name != "all" && e.Name != "exists":
		v, err = tr.method(e)
	case e.Op == cel.Field || e.Op == cel.Var:
		v, err = tr.value(e)
		if err == nil && !isBool(native(v.typ)) {
			err = fmt.Errorf("%s is neither true nor false", e.Source)
		}
	default:
		inner, err := tr.condition(e)
		return parens([]any{"!("}, "", append(inner, ")")), err
	}
	v.code = append(append([]any{"!("}, v.code...), ")")
	return guarded(v), err
}

func (tr *translator) join(a *cel.Expr, op string, b *cel.Expr) ([]any, error) {
	left, err := tr.condition(a)
	if err != nil {
		return nil, err
	}
	right, err := tr.condition(b)
	return parens(left, " "+op+" ", right), err
}

func parens(a []any, op string, b []any) []any {
	out := append([]any{"("}, a...)
	return append(append(append(out, op), b...), ")")
}

// guarded is a condition with what must be there for it.
func guarded(v value) []any {
	if len(v.guards) == 0 {
		return v.code
	}
	return parens(v.guards, " && ", v.code)
}

func and(a, b []any) []any {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return append(append(append([]any{}, a...), " && "), b...)
}

// value translates something that is not a condition.
func (tr *translator) value(e *cel.Expr) (value, error) {
	switch e.Op {
	case cel.Var:
		return tr.variable(e)
	case cel.Field:
		return tr.field(e)
	case cel.Text:
		return value{code: []any{strconv.Quote(e.Text)}, typ: types.String, constant: true}, nil
	case cel.Number:
		t := types.Int64
		if strings.ContainsAny(e.Text, ".eE") && !strings.HasPrefix(e.Text, "0x") {
			t = types.Float64
		}
		return value{code: []any{e.Text}, typ: t, constant: true}, nil
	case cel.Negate:
		v, err := tr.value(e.Args[0])
		if err == nil && !v.constant {
			err = fmt.Errorf("%s computes, and only comparisons can be translated", e.Source)
		}
		v.code = append([]any{"-"}, v.code...)
		return v, err
	case cel.Literal:
		if e.Name == "null" {
			return value{}, fmt.Errorf("null is not supported; has() tells whether a field is there")
		}
		return value{code: []any{e.Name}, typ: types.Bool, constant: true}, nil
	case cel.Call:
		if e.Name == "size" {
			return tr.size(e)
		}
		if e.On == nil {
			return value{}, fmt.Errorf("the function %s is not supported", e.Name)
		}
		return tr.method(e)
	case cel.Binary, cel.Index:
		return value{}, fmt.Errorf("%s computes, and only comparisons can be translated", e.Source)
	}
	return value{}, fmt.Errorf("%s is not supported here", e.Source)
}

func (tr *translator) variable(e *cel.Expr) (value, error) {
	if v, ok := tr.locals[e.Name]; ok {
		return v, nil
	}
	name := "obj"
	switch e.Name {
	case "self":
	case "oldSelf":
		name, tr.usesOld = "oldObj", true
	default:
		return value{}, fmt.Errorf("%s is not known, only self and oldSelf are", e.Name)
	}
	t := pointee(tr.site.typ)
	if b := native(t); b.Kind == types.Builtin {
		return value{code: []any{"*" + name}, typ: t}, nil
	}
	return value{code: []any{name}, typ: t}, nil
}

func (tr *translator) field(e *cel.Expr) (value, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return value{}, err
	}
	owner := native(on.typ)
	if owner.Kind != types.Struct {
		return value{}, fmt.Errorf("%s is %s, which has no fields", e.On.Source, aKind(on.typ))
	}
	m := memberByJSON(owner, strings.TrimSuffix(strings.TrimPrefix(e.Name, "__"), "__"))
	if m == nil {
		return value{}, fmt.Errorf("%s", noSuchField(owner, e.Name))
	}
	code := append(append([]any{}, on.code...), "."+m.Name)
	out := value{code: code, typ: pointee(m.Type), guards: on.guards, member: m}
	if m.Type.Kind == types.Pointer {
		out.guards = and(on.guards, append(append([]any{}, code...), " != nil"))
		if native(out.typ).Kind == types.Builtin {
			out.code = append([]any{"*"}, code...)
		}
	}
	return out, nil
}
