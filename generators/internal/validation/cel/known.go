package cel

import (
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// isQuantity tells whether the value is a field of type Quantity.
func (v value) isQuantity() bool { return v.typ.Name == quantityType.Name && v.typ != quantityType }

// some is the value where null does not do.
func (v value) some() value {
	v.guards, v.filled = all(v.guards, v.filled), condition{}
	return v
}

// makers are the functions that make a value of a text, and those that only look at one.
var makers = map[string]func(*translator, *ast.Expr, value) (value, error){
	"duration": (*translator).duration, "timestamp": (*translator).timestamp, "quantity": (*translator).quantity, "isQuantity": (*translator).isQuantity,
	"sign": (*translator).sign,
}

// made translates a call of one of the makers.
func (tr *translator) made(e *ast.Expr) (value, error) {
	if len(e.Args) != 1 {
		return value{}, fmt.Errorf("%s: want %s of one value", e.Source, e.Name)
	}
	v, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	return makers[e.Name](tr, e, v)
}

// parsed is a text as a value of a type, by the helper that reads it and the helper that says
// whether it can be read.
func (tr *translator) parsed(e *ast.Expr, v value, t *types.Type, read plan.Helper) (value, error) {
	if !shape.IsString(shape.Native(v.typ)) {
		return value{}, fmt.Errorf("%s makes a %s of %s", e.Source, typeNames[t], aValue(v.typ))
	}
	tr.use(read)
	call := spell(read.Name, "(", v.as(types.String), ")")
	valid := leaf("func() bool { _, err := ", call, "; return err == nil }()")
	return value{code: spell("func() ", t, " { out, _ := ", call, "; return out }()"), typ: t, guards: all(v.guards, valid)}, nil
}

// reader is a helper that reads a text as a value of a type.
func reader(name, doc string, t *types.Type, body ...[]any) plan.Helper {
	return plan.Helper{Name: name, Lines: func() [][]any {
		head := [][]any{{"// ", name, " ", doc}, {"func ", name, "(text string) (", t, ", error) {"}}
		return append(append(head, body...), []any{"}"})
	}}
}

// compareKnown compares two values of one of the types of this file; ok says that it can. CEL has
// no order of quantities.
func (tr *translator) compareKnown(e *ast.Expr, a, b value) (code []any, guards condition, ok bool) {
	equality := e.Name == "==" || e.Name == "!="
	switch {
	case a.typ != b.typ:
		return nil, guards, false
	case a.typ == durationType:
		return spell(a.code, " "+e.Name+" ", b.code), guards, true
	case a.typ == timeType && equality: // null is null, too
		return spell(strings.TrimRight(e.Name, "="), a.code, ".Equal(", b.code, ")"), guards, true
	case a.typ == timeType:
		return spell(a.code, ".Compare(", b.code, ") "+e.Name+" 0"), all(a.filled, b.filled), true
	case a.typ == quantityType && equality:
		return spell(tr.compareQuantities(a, b), " "+e.Name+" 0"), guards, true
	}
	return nil, guards, false
}

// nameOf says what a type is, as a problem names it, and aValue says it with its article.
func nameOf(t *types.Type) string {
	if name := typeNames[t]; name != "" {
		return name
	}
	return shape.KindName(t)
}

func aValue(t *types.Type) string { return shape.Article(nameOf(t)) }

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

// helperQuantity has about the bounds of package runtime/quantity, which says what they are for.
// They are printed, since packages of types need not import the runtime.
var helperQuantity = reader("validate_quantity", "reads a quantity, like 500m or 2Gi, unless its exponent is long.", quantityType,
	[]any{"if at := ", plan.Ident("strings", "LastIndexAny"), `(text, "eE"); len(text) > 10000 || at >= 0 && len(text)-at > len("e-999") {`},
	[]any{"return ", plan.Ident(quantityPath, "Quantity"), "{}, ", plan.Ident(quantityPath, "ErrFormatWrong")},
	[]any{"}"},
	[]any{"return ", plan.Ident(quantityPath, "ParseQuantity"), "(text)"})

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

// duration translates duration() of a text or of a metav1.Duration.
func (tr *translator) duration(e *ast.Expr, v value) (value, error) {
	switch {
	case v.typ == durationType:
		return v, nil
	case v.read != nil:
		return value{code: v.read, typ: durationType, guards: v.guards}, nil
	case v.literal == nil:
		return tr.parsed(e, v, durationType, helperDuration)
	case e.Args[0].Op != ast.Text:
		return value{}, unless(simple(v), "%s makes a duration of %s", e.Source, aValue(v.typ))
	}
	d, err := time.ParseDuration(e.Args[0].Text)
	if err != nil {
		return value{}, wrong("%s is no duration, like '1h30m'", e.Args[0].Source)
	}
	return value{code: spell(durationType, fmt.Sprintf("(%d)", d)), typ: durationType}, nil
}

// timestamp translates timestamp() of a text or of a timestamp.
func (tr *translator) timestamp(e *ast.Expr, v value) (value, error) {
	switch {
	case v.typ == timeType:
		return v, nil
	case v.literal == nil && shape.IsString(shape.Native(v.typ)):
		return tr.parsed(e, v, timeType, helperTime)
	case e.Args[0].Op != ast.Text:
		return value{}, fmt.Errorf("%s makes a timestamp of %s", e.Source, aValue(v.typ))
	}
	t, err := time.Parse(time.RFC3339, e.Args[0].Text)
	if err != nil {
		return value{}, wrong("%s is no timestamp, like '2026-01-31T12:00:00Z'", e.Args[0].Source)
	}
	return value{code: spell(plan.Ident("time", "Unix"), fmt.Sprintf("(%d, %d)", t.Unix(), t.Nanosecond())), typ: timeType}, nil
}

// parts are the methods of durations and timestamps, in Go, by what they are in CEL.
var parts = map[*types.Type]map[string]string{
	durationType: {
		"getHours": "int64($.Hours())", "getMinutes": "int64($.Minutes())", "getSeconds": "int64($.Seconds())", "getMilliseconds": "$.Milliseconds()",
	},
	timeType: {
		"getFullYear": "int64($.UTC().Year())", "getMonth": "int64($.UTC().Month()-1)", "getDate": "int64($.UTC().Day())", "getDayOfMonth": "int64($.UTC().Day()-1)",
		"getDayOfYear": "int64($.UTC().YearDay()-1)", "getDayOfWeek": "int64($.UTC().Weekday())", "getHours": "int64($.UTC().Hour())",
		"getMinutes": "int64($.UTC().Minute())", "getSeconds": "int64($.UTC().Second())", "getMilliseconds": "int64($.UTC().Nanosecond()/1000000)",
	},
}

// part translates a method of a duration or a timestamp.
func (tr *translator) part(e *ast.Expr, on value) (value, error) {
	code, ok := parts[on.typ][e.Name]
	switch {
	case !ok:
		return value{}, wrong("%s: a %s has no method %s", e.Source, typeNames[on.typ], e.Name)
	case len(e.Args) > 0:
		return value{}, fmt.Errorf("%s: parts of another time zone than UTC are not supported", e.Source)
	}
	on = on.some()
	return value{code: filledIn(code, on.code), typ: types.Int64, guards: on.guards}, nil
}

// filledIn is Go in which a value stands for the sign $.
func filledIn(code string, v []any) []any {
	for i := range code {
		if code[i] == '$' {
			return spell(code[:i], v, code[i+1:])
		}
	}
	return []any{code}
}

// timeArithmetic computes with durations and timestamps; ok says that these are some that can be
// added or subtracted.
func (tr *translator) timeArithmetic(e *ast.Expr, a, b value) (out value, ok bool) {
	if e.Name != "+" && e.Name != "-" {
		return out, false
	}
	a, b = a.some(), b.some()
	guards := all(a.guards, b.guards)
	switch {
	case a.typ == durationType && b.typ == durationType:
		tr.use(helperFits)
		fits := leaf("validate_fits(int64(", a.code, "), '"+e.Name+"', int64(", b.code, "))")
		return value{code: spell("(", a.code, " "+e.Name+" ", b.code, ")"), typ: durationType, guards: all(guards, fits)}, true
	case a.typ == timeType && b.typ == timeType && e.Name == "-":
		code := spell(a.code, ".Sub(", b.code, ")")
		return value{code: code, typ: durationType, guards: all(guards, leaf(b.code, ".Add(", code, ").Equal(", a.code, ")"))}, true
	case a.typ == durationType && b.typ == timeType && e.Name == "+":
		a, b = b, a
		fallthrough
	case a.typ == timeType && b.typ == durationType:
		tr.use(helperInYears)
		by := b.code
		if e.Name == "-" {
			tr.use(helperFits)
			by, guards = spell("-", b.code), all(guards, leaf("validate_fits(0, '-', int64(", b.code, "))"))
		}
		code := spell(a.code, ".Add(", by, ")")
		return value{code: code, typ: timeType, guards: all(guards, leaf("validate_inYears(", code, ")"))}, true
	}
	return out, false
}

// timeText is the text of a duration or a timestamp, as CEL writes it.
func timeText(v value) value {
	v = v.some()
	out := value{typ: types.String, guards: v.guards}
	if v.typ == durationType {
		out.code = spell(plan.Ident("strconv", "FormatFloat"), "(", v.code, ".Seconds(), 'f', -1, 64) + \"s\"")
	} else {
		out.code = spell(v.code, ".UTC().Format(", plan.Ident("time", "RFC3339Nano"), ")")
	}
	return out
}

var (
	helperDuration = reader("validate_duration", "reads a duration, like 1h30m.", durationType, []any{"return ", plan.Ident("time", "ParseDuration"), "(text)"})
	helperTime     = reader("validate_time", "reads a timestamp, like 2026-01-31T12:00:00Z.", timeType, []any{"return ", plan.Ident("time", "Parse"), "(", plan.Ident("time", "RFC3339"), ", text)"})
)

var helperInYears = plan.Helper{Name: "validate_inYears", Lines: func() [][]any {
	return [][]any{
		{"// validate_inYears tells whether a computed timestamp is in the years that can be written."},
		{"func validate_inYears(t ", timeType, ") bool {"},
		{"return 1 <= t.UTC().Year() && t.UTC().Year() <= 9999"},
		{"}"},
	}
}}
