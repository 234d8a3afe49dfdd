package cel

import (
	"fmt"
	"time"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
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
