package validation

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

// compare translates a comparison of two values.
func (tr *translator) compare(e *cel.Expr) (value, error) {
	a, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	b, err := tr.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	out := value{typ: types.Bool, guards: and(a.guards, b.guards)}
	x, y := native(a.typ), native(b.typ)
	mismatch := fmt.Errorf("%s compares %s with %s", e.Source, aKind(a.typ), aKind(b.typ))
	switch {
	case isInt(x) && isInt(y):
		out.code = sameType(e, a, b, types.Int64)
	case (isFloat(x) || isInt(x)) && (isFloat(y) || isInt(y)):
		if !a.constant && !b.constant && isFloat(x) != isFloat(y) {
			return value{}, mismatch
		}
		out.code = sameType(e, a, b, types.Float64)
	case isString(x) && isString(y):
		out.code = sameType(e, a, b, types.String)
	case isBool(x) && isBool(y):
		if e.Name != "==" && e.Name != "!=" {
			return value{}, fmt.Errorf("%s asks which bool is greater", e.Source)
		}
		out.code = sameType(e, a, b, types.Bool)
	case a.typ == b.typ && (e.Name == "==" || e.Name == "!="):
		not := ""
		if e.Name == "!=" {
			not = "!"
		}
		out.code = append([]any{not, ident(equalityPath, "Semantic"), ".DeepEqual("}, a.code...)
		out.code = append(append(append(out.code, ", "), b.code...), ")")
	default:
		return value{}, mismatch
	}
	return out, nil
}

// sameType is the comparison with both values in one Go type, which they may have already.
func sameType(e *cel.Expr, a, b value, t *types.Type) []any {
	same := a.typ == b.typ || a.constant || b.constant
	side := func(v value) []any {
		if same || v.typ == t {
			return v.code
		}
		return append(append([]any{t, "("}, v.code...), ")")
	}
	return append(append(append([]any{}, side(a)...), " "+e.Name+" "), side(b)...)
}

// in translates membership in a list of literals, a list or the keys of a map.
func (tr *translator) in(e *cel.Expr) (value, error) {
	item, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if list := e.Args[1]; list.Op == cel.List {
		return tr.inLiterals(e, item, list.Args)
	}
	whole, err := tr.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	out := value{typ: types.Bool, guards: and(item.guards, whole.guards)}
	n := native(whole.typ)
	fits := func(t *types.Type) bool {
		return item.typ == t || item.constant && native(item.typ).Name == native(t).Name || isString(native(item.typ)) && isString(native(t))
	}
	converted := func(t *types.Type) []any {
		if item.typ == t || item.constant {
			return item.code
		}
		return append(append([]any{t, "("}, item.code...), ")")
	}
	switch {
	case n.Kind == types.Slice && fits(n.Elem) && native(n.Elem).Kind == types.Builtin:
		out.code = append([]any{ident("slices", "Contains"), "("}, whole.code...)
		out.code = append(append(append(out.code, ", "), converted(n.Elem)...), ")")
	case n.Kind == types.Map && fits(n.Key):
		out.code = append([]any{"func() bool { _, ok := "}, whole.code...)
		out.code = append(append(append(out.code, "["), converted(n.Key)...), "]; return ok }()")
	default:
		return value{}, fmt.Errorf("%s looks for %s in %s", e.Source, aKind(item.typ), aKind(whole.typ))
	}
	return out, nil
}

func (tr *translator) inLiterals(e *cel.Expr, item value, list []*cel.Expr) (value, error) {
	if len(list) == 0 {
		return value{}, fmt.Errorf("%s: the list is empty", e.Source)
	}
	out := value{typ: types.Bool, guards: item.guards}
	code := []any{ident("slices", "Contains"), "([]", item.typ, "{"}
	for i, l := range list {
		v, err := tr.value(l)
		if err != nil {
			return value{}, err
		}
		if !v.constant || item.constant || kindName(v.typ) != kindName(item.typ) {
			return value{}, fmt.Errorf("%s: the list holds other than literals of the type of %s", e.Source, e.Args[0].Source)
		}
		if i > 0 {
			code = append(code, ", ")
		}
		code = append(code, v.code...)
	}
	out.code = append(append(append(code, "}, "), item.code...), ")")
	return out, nil
}

// loop translates all and exists over a list.
func (tr *translator) loop(e *cel.Expr) ([]any, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return nil, err
	}
	n := native(on.typ)
	if len(e.Args) != 2 || e.Args[0].Op != cel.Var || n.Kind != types.Slice {
		return nil, fmt.Errorf("%s: %s is over the items of a list", e.Source, e.Name)
	}
	name := e.Args[0].Name
	tr.loops++
	goName := fmt.Sprintf("item%d", tr.loops)
	item := value{code: []any{goName}, typ: pointee(n.Elem)}
	if n.Elem.Kind == types.Pointer {
		item.guards = []any{goName + " != nil"}
		if native(item.typ).Kind == types.Builtin {
			item.code = []any{"*" + goName}
		}
	}
	before, shadowed := tr.locals[name]
	if tr.locals == nil {
		tr.locals = map[string]value{}
	}
	tr.locals[name] = item
	condition, err := tr.condition(e.Args[1])
	delete(tr.locals, name)
	if shadowed {
		tr.locals[name] = before
	}
	if err != nil {
		return nil, err
	}
	stop, result := "!", "true"
	if e.Name == "exists" {
		stop, result = "", "false"
	}
	opposite := map[string]string{"true": "false", "false": "true"}[result]
	code := append([]any{"func() bool {\nfor _, ", goName, " := range "}, on.code...)
	code = append(append(append(code, " {\nif "+stop+"("), condition...), ") {\nreturn "+opposite+"\n}\n}\nreturn "+result+"\n}()")
	return guarded(value{code: code, guards: on.guards}), nil
}
