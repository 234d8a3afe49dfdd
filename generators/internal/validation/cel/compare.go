package cel

import (
	"fmt"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// compare translates a comparison of two values.
func (tr *translator) compare(e *ast.Expr) (value, error) {
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
	x, y := shape.Native(a.typ), shape.Native(b.typ)
	if code, guards, ok := tr.compareKnown(e, a, b); ok {
		out.code, out.guards = code, all(out.guards, guards)
		return out, nil
	}
	switch {
	case shape.IsInt(x) && shape.IsInt(y):
		out.code = sameType(e, a, b, types.Int64)
	case (shape.IsFloat(x) || shape.IsInt(x)) && (shape.IsFloat(y) || shape.IsInt(y)):
		out.code = sameType(e, a, b, types.Float64)
	case shape.IsString(x) && shape.IsString(y):
		out.code = sameType(e, a, b, types.String)
	case shape.IsBool(x) && shape.IsBool(y):
		if e.Name != "==" && e.Name != "!=" {
			return value{}, fmt.Errorf("%s asks which bool is greater", e.Source)
		}
		out.code = sameType(e, operand(e.Args[0], a), operand(e.Args[1], b), types.Bool)
	case comparableLists(a, b) && (e.Name == "==" || e.Name == "!="):
		out.code = spell(strings.TrimSuffix(strings.TrimSuffix(e.Name, "="), "="), plan.Ident("slices", "Equal"), "(", a.plain(), ", ", b.plain(), ")")
	case a.typ == b.typ && (e.Name == "==" || e.Name == "!="):
		not := strings.TrimSuffix(e.Name, "=") // "!" or "="
		out.code = spell(strings.TrimPrefix(not, "="), plan.Ident(plan.SemanticPath, "Equal"), "(", a.code, ", ", b.code, ")")
	case a.typ == quantityType && b.typ == quantityType:
		return value{}, wrong("%s: quantities have the methods isLessThan, isGreaterThan and compareTo", e.Source)
	default:
		return value{}, unless(simple(a, b), "%s compares %s with %s", e.Source, aValue(a.typ), aValue(b.typ))
	}
	return out, nil
}

// operand is a bool that is compared, in parentheses if it is itself a comparison.
func operand(e *ast.Expr, v value) value {
	if e.Op == ast.Binary && comparisons[e.Name] {
		v.code = spell("(", v.code, ")")
	}
	return v
}

// sameType is the comparison with both values in one Go type, which they may have already.
func sameType(e *ast.Expr, a, b value, t *types.Type) []any {
	switch {
	case a.typ == b.typ, a.literal != nil && a.suits(b.typ), b.literal != nil && b.suits(a.typ):
		return spell(a.code, " "+e.Name+" ", b.code)
	}
	return spell(a.as(t), " "+e.Name+" ", b.as(t))
}

var comparisons = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

// in translates membership in a list of literals, a list or the keys of a map.
func (tr *translator) in(e *ast.Expr) (value, error) {
	item, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if list := e.Args[1]; list.Op == ast.List {
		return tr.inLiterals(e, item, list.Args)
	}
	whole, err := tr.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	out := value{typ: types.Bool, guards: all(item.guards, whole.guards)}
	n := shape.Native(whole.typ)
	fits := func(t *types.Type) bool {
		return item.typ == t || item.literal != nil && shape.Native(item.typ).Name == shape.Native(t).Name || shape.IsString(shape.Native(item.typ)) && shape.IsString(shape.Native(t))
	}
	switch {
	case n.Kind == types.Slice && fits(n.Elem) && shape.Native(n.Elem).Kind == types.Builtin:
		out.code = spell(plan.Ident("slices", "Contains"), "(", whole.code, ", ", item.as(n.Elem), ")")
	case n.Kind == types.Map && fits(n.Key):
		out.code = spell("func() bool { _, ok := ", whole.code, "[", item.as(n.Key), "]; return ok }()")
	default:
		return value{}, fmt.Errorf("%s looks for %s in %s", e.Source, aValue(item.typ), aValue(whole.typ))
	}
	return out, nil
}

func (tr *translator) inLiterals(e *ast.Expr, item value, list []*ast.Expr) (value, error) {
	if len(list) == 0 {
		return value{}, fmt.Errorf("%s: the list is empty", e.Source)
	}
	out := value{typ: types.Bool, guards: item.guards}
	code := spell(plan.Ident("slices", "Contains"), "([]", item.typ, "{")
	for i, l := range list {
		v, err := tr.value(l)
		if err != nil {
			return value{}, err
		}
		if v.literal == nil || item.literal != nil || nameOf(v.typ) != nameOf(item.typ) || !v.suits(item.typ) {
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

func isNull(e *ast.Expr) bool { return e.Op == ast.Literal && e.Name == "null" }

// compareNull translates the question whether a field is null. One that clients leave out is not:
// if it is not there, the rule fails, as has() tells.
func (tr *translator) compareNull(e *ast.Expr) (value, error) {
	of := e.Args[0]
	if isNull(of) {
		of = e.Args[1]
	}
	if of.Op != ast.Field || e.Name != "==" && e.Name != "!=" || tr.isOptional(of) {
		return value{}, fmt.Errorf("%s: only a field can be compared with null, by == and !=", e.Source)
	}
	on, err := tr.value(of.On)
	if err != nil {
		return value{}, err
	}
	v, err := tr.selected(of, on)
	if err != nil {
		return value{}, err
	}
	null := ""
	switch {
	case v.member == nil:
	case shape.Omitted(*v.member):
		return value{code: []any{fmt.Sprint(e.Name == "!=")}, typ: types.Bool, guards: all(on.guards, isThere(on, v))}, nil
	case shape.Nilable(v.member.Type):
		null = " " + e.Name + " nil"
	case v.typ == timeType && e.Name == "==":
		null = ".IsZero()"
	case v.typ == timeType:
		return value{code: v.filled.spelled(), typ: types.Bool, guards: on.guards}, nil
	}
	if null == "" {
		return value{}, fmt.Errorf("%s is never null; has() tells whether a field is there", of.Source)
	}
	return value{code: spell(on.code, "."+v.member.Name, null), typ: types.Bool, guards: on.guards}, nil
}
