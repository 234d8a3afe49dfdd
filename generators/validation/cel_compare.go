package validation

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

// compare translates a comparison of two values.
func (tr *translator) compare(e *cel.Expr) (value, error) {
	if isNull(e.Args[0]) || isNull(e.Args[1]) {
		return tr.compareNull(e)
	}
	a, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	b, err := tr.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	out := value{typ: types.Bool, guards: all(a.guards, b.guards)}
	x, y := native(a.typ), native(b.typ)
	if code, guards, ok := tr.compareKnown(e, a, b); ok {
		out.code, out.guards = code, all(out.guards, guards)
		return out, nil
	}
	mismatch := fmt.Errorf("%s compares %s with %s", e.Source, aKind(a.typ), aKind(b.typ))
	switch {
	case isInt(x) && isInt(y):
		out.code = sameType(e, a, b, types.Int64)
	case (isFloat(x) || isInt(x)) && (isFloat(y) || isInt(y)):
		out.code = sameType(e, a, b, types.Float64)
	case isString(x) && isString(y):
		out.code = sameType(e, a, b, types.String)
	case isBool(x) && isBool(y):
		if e.Name != "==" && e.Name != "!=" {
			return value{}, fmt.Errorf("%s asks which bool is greater", e.Source)
		}
		out.code = sameType(e, a, b, types.Bool)
	case comparableLists(a, b) && (e.Name == "==" || e.Name == "!="):
		out.code = spell(strings.TrimSuffix(strings.TrimSuffix(e.Name, "="), "="), ident("slices", "Equal"), "(", a.plain(), ", ", b.plain(), ")")
	case a.typ == b.typ && (e.Name == "==" || e.Name == "!="):
		not := strings.TrimSuffix(e.Name, "=") // "!" or "="
		out.code = spell(strings.TrimPrefix(not, "="), ident(equalityPath, "Semantic"), ".DeepEqual(", a.code, ", ", b.code, ")")
	case a.typ == celQuantity && b.typ == celQuantity:
		return value{}, fmt.Errorf("%s: quantities have the methods isLessThan, isGreaterThan and compareTo", e.Source)
	default:
		return value{}, mismatch
	}
	return out, nil
}

// sameType is the comparison with both values in one Go type, which they may have already.
func sameType(e *cel.Expr, a, b value, t *types.Type) []any {
	switch {
	case a.typ == b.typ, a.literal != nil && a.suits(b.typ), b.literal != nil && b.suits(a.typ):
		return spell(a.code, " "+e.Name+" ", b.code)
	}
	return spell(a.as(t), " "+e.Name+" ", b.as(t))
}

var celComparisons = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

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
	out := value{typ: types.Bool, guards: all(item.guards, whole.guards)}
	n := native(whole.typ)
	fits := func(t *types.Type) bool {
		return item.typ == t || item.literal != nil && native(item.typ).Name == native(t).Name || isString(native(item.typ)) && isString(native(t))
	}
	switch {
	case n.Kind == types.Slice && fits(n.Elem) && native(n.Elem).Kind == types.Builtin:
		out.code = spell(ident("slices", "Contains"), "(", whole.code, ", ", item.as(n.Elem), ")")
	case n.Kind == types.Map && fits(n.Key):
		out.code = spell("func() bool { _, ok := ", whole.code, "[", item.as(n.Key), "]; return ok }()")
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
	code := spell(ident("slices", "Contains"), "([]", item.typ, "{")
	for i, l := range list {
		v, err := tr.value(l)
		if err != nil {
			return value{}, err
		}
		if v.literal == nil || item.literal != nil || kindName(v.typ) != kindName(item.typ) || !v.suits(item.typ) {
			return value{}, fmt.Errorf("%s: the list holds other than literals of the type of %s", e.Source, e.Args[0].Source)
		}
		if i > 0 {
			code = append(code, ", ")
		}
		code = spell(code, v.code)
	}
	out.code = spell(code, "}, ", item.code, ")")
	return out, nil
}
