package cel

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// quantity translates quantity() of a text or of a field of that type.
func (tr *translator) quantity(e *ast.Expr, v value) (value, error) {
	switch {
	case v.typ == quantityType:
		return v, nil
	case v.isQuantity():
		return value{code: v.code, typ: quantityType, guards: v.guards}, nil
	case v.literal == nil:
		return tr.parsed(e, v, quantityType, helperQuantity)
	case e.Args[0].Op != ast.Text:
		return value{}, unless(simple(v), "%s makes a quantity of %s", e.Source, aValue(v.typ))
	}
	text := e.Args[0].Text
	if _, err := resource.ParseQuantity(text); err != nil {
		return value{}, wrong("%s is no quantity, like '500m' or '2Gi'", e.Args[0].Source)
	}
	name := tr.variableFor(plan.Construct{Func: plan.Ident(quantityPath, "MustParse"), Args: []any{text}}, "quantityFor")
	return value{code: []any{name}, typ: quantityType}, nil
}

// isQuantity translates the question whether a text is one. A field of that type always is.
func (tr *translator) isQuantity(e *ast.Expr, v value) (value, error) {
	if v.isQuantity() {
		return value{code: []any{"true"}, typ: types.Bool, guards: v.guards}, nil
	}
	if !shape.IsString(shape.Native(v.typ)) {
		return value{}, unless(simple(v), "%s asks whether %s is a quantity", e.Source, aValue(v.typ))
	}
	tr.use(helperQuantity)
	code := spell("func() bool { _, err := ", helperQuantity.Name, "(", v.as(types.String), "); return err == nil }()")
	return value{code: code, typ: types.Bool, guards: v.guards}, nil
}

// sign translates the function sign(): -1, 0 or 1.
func (tr *translator) sign(e *ast.Expr, v value) (value, error) {
	if v.typ != quantityType {
		return value{}, unless(simple(v), "%s: %s is %s, and a quantity is wanted, like quantity('1')", e.Source, e.Args[0].Source, aValue(v.typ))
	}
	zero := value{code: spell(plan.Ident(quantityPath, "Quantity"), "{}")}
	return value{code: spell("int64(", tr.compareQuantities(v, zero), ")"), typ: types.Int64, guards: v.guards}, nil
}

// quantityMethod translates a method of a quantity.
func (tr *translator) quantityMethod(e *ast.Expr, on value) (value, error) {
	arity := map[string]int{"isGreaterThan": 1, "isLessThan": 1, "compareTo": 1, "add": 1, "sub": 1, "isInteger": 0, "asInteger": 0, "asApproximateFloat": 0}
	n, ok := arity[e.Name]
	if !ok || n != len(e.Args) {
		return value{}, wrong("%s: a quantity has no method %s with so many arguments", e.Source, e.Name)
	}
	out := value{typ: types.Int64, guards: on.guards}
	if n == 0 {
		return tr.ofQuantity(e, on, out)
	}
	other, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	out.guards = all(out.guards, other.guards)
	if sum := e.Name == "add" || e.Name == "sub"; sum && shape.IsInt(shape.Native(other.typ)) {
		other.code, other.typ = spell("*", plan.Ident(quantityPath, "NewQuantity"), "(", other.as(types.Int64), ", ", plan.Ident(quantityPath, "DecimalSI"), ")"), quantityType
	}
	if other.typ != quantityType {
		return value{}, unless(simple(other), "%s: %s is %s, and a quantity is wanted, like quantity('1')", e.Source, e.Args[0].Source, aValue(other.typ))
	}
	compared := tr.compareQuantities(on, other)
	switch e.Name {
	case "isGreaterThan":
		out.code, out.typ = spell(compared, " > 0"), types.Bool
	case "isLessThan":
		out.code, out.typ = spell(compared, " < 0"), types.Bool
	case "compareTo":
		out.code = spell("int64(", compared, ")")
	case "add", "sub":
		sign := map[string]string{"add": "1", "sub": "-1"}[e.Name]
		tr.use(helperAddQuantities)
		out.code, out.typ = spell(helperAddQuantities.Name, "(", on.code, ", ", other.code, ", "+sign+")"), quantityType
	}
	return out, nil
}

// ofQuantity translates a method without arguments.
func (tr *translator) ofQuantity(e *ast.Expr, on, out value) (value, error) {
	use := func(h plan.Helper) []any {
		tr.use(h)
		return spell(h.Name, "(", on.code, ")")
	}
	switch e.Name {
	case "isInteger":
		out.code, out.typ = spell("func() bool { _, ok := ", use(helperInteger), "; return ok }()"), types.Bool
	case "asInteger":
		out.guards = all(out.guards, leaf("func() bool { _, ok := ", use(helperInteger), "; return ok }()"))
		out.code = spell("func() int64 { n, _ := ", use(helperInteger), "; return n }()")
	case "asApproximateFloat":
		out.code, out.typ = use(helperFloat), types.Float64
	}
	return out, nil
}

// compareQuantities is Go that is negative, 0 or positive.
func (tr *translator) compareQuantities(a, b value) []any {
	tr.use(helperCompareQuantities)
	return spell(helperCompareQuantities.Name, "(", a.code, ", ", b.code, ")")
}

var helperQuantity = reader("validate_quantity", "reads a quantity, like 500m or 2Gi.", quantityType, []any{"return ", plan.Ident(quantityPath, "ParseQuantity"), "(text)"})

// The methods of a quantity are those of a variable, and change it: these take values.
var (
	helperCompareQuantities = plan.Helper{Name: "validate_compareQuantities", Lines: func() [][]any {
		return [][]any{
			{"// validate_compareQuantities is negative, 0 or positive, as a is less than, equal to or greater than b."},
			{"func validate_compareQuantities(a, b ", quantityType, ") int {"},
			{"return a.Cmp(b)"},
			{"}"},
		}
	}}
	helperAddQuantities = plan.Helper{Name: "validate_addQuantities", Lines: func() [][]any {
		return [][]any{
			{"// validate_addQuantities is the sum of two quantities, or, with a negative sign, their difference."},
			{"func validate_addQuantities(a, b ", quantityType, ", sign int) ", quantityType, " {"},
			{"sum := a.DeepCopy()"},
			{"if sign < 0 {"}, {"sum.Sub(b)"}, {"} else {"}, {"sum.Add(b)"}, {"}"},
			{"return sum"},
			{"}"},
		}
	}}
	helperInteger = plan.Helper{Name: "validate_integer", Lines: func() [][]any {
		return [][]any{
			{"// validate_integer is a quantity as a whole number; ok says that it is one of 64 bits."},
			{"func validate_integer(q ", quantityType, ") (n int64, ok bool) {"},
			{"return q.AsInt64()"},
			{"}"},
		}
	}}
	helperFloat = plan.Helper{Name: "validate_float", Lines: func() [][]any {
		return [][]any{
			{"// validate_float is about a quantity."},
			{"func validate_float(q ", quantityType, ") float64 {"},
			{"return q.AsApproximateFloat64()"},
			{"}"},
		}
	}}
)
