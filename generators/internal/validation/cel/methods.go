package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func asksHas(e *ast.Expr) bool {
	return e.Op == ast.Call && e.On == nil && e.Name == "has" && len(e.Args) == 1
}

// has tells whether a field is there.
func (tr *translator) has(e *ast.Expr) (value, error) {
	if e.Op != ast.Field {
		return value{}, fmt.Errorf("has(%s) asks for something that is no field", e.Source)
	}
	on, err := tr.value(e.On)
	if err != nil {
		return value{}, err
	}
	v, err := tr.selected(e, on)
	if err != nil {
		return value{}, err
	}
	if v.member == nil { // an entry of a map
		return told(v.guards), nil
	}
	there := isThere(on, v)
	return value{code: there.spelled(), typ: types.Bool, guards: on.guards, is: there}, nil
}

// size is the number of characters, items or entries.
func (tr *translator) size(e *ast.Expr) (value, error) {
	of := e.On
	if of == nil && len(e.Args) == 1 {
		of = e.Args[0]
	}
	if of == nil {
		return value{}, fmt.Errorf("%s: size is of one value", e.Source)
	}
	v, err := tr.value(of)
	if err != nil {
		return value{}, err
	}
	switch k := shape.Native(v.typ).Kind; {
	case shape.IsString(shape.Native(v.typ)):
		code := spell("int64(", plan.Ident("unicode/utf8", "RuneCountInString"), "(string(", v.code, ")))")
		return value{code: code, typ: types.Int64, guards: v.guards}, nil
	case k != types.Slice && k != types.Map:
		return value{}, unless(simple(v), "%s is %s, which has no size", of.Source, aValue(v.typ))
	}
	return value{code: spell("int64(len(", v.code, "))"), typ: types.Int64, guards: v.guards}, nil
}

// method translates a method of a value.
func (tr *translator) method(e *ast.Expr) (value, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return value{}, err
	}
	switch on.typ {
	case durationType, timeType:
		return tr.part(e, on)
	case quantityType:
		return tr.quantityMethod(e, on)
	}
	if m, ok := textMethods[e.Name]; ok && shape.IsString(shape.Native(on.typ)) {
		return tr.textMethod(e, m, on)
	}
	if e.Name == "join" {
		return tr.join(e, on)
	}
	functions := map[string]string{"startsWith": "HasPrefix", "endsWith": "HasSuffix", "contains": "Contains", "matches": ""}
	fn, ok := functions[e.Name]
	if !ok || len(e.Args) != 1 {
		return value{}, fmt.Errorf("the method %s is not supported", e.Name)
	}
	if !shape.IsString(shape.Native(on.typ)) {
		return value{}, fmt.Errorf("%s is for strings, and %s is %s", e.Name, e.On.Source, aValue(on.typ))
	}
	text := spell("string(", on.code, ")")
	if e.Name == "matches" {
		return tr.matches(e, value{code: text, guards: on.guards})
	}
	arg, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if !shape.IsString(shape.Native(arg.typ)) {
		return value{}, fmt.Errorf("%s is no string", e.Args[0].Source)
	}
	code := spell(plan.Ident("strings", fn), "(", text, ", string(", arg.code, "))")
	return value{code: code, typ: types.Bool, guards: all(on.guards, arg.guards)}, nil
}

func (tr *translator) matches(e *ast.Expr, on value) (value, error) {
	arg := e.Args[0]
	if arg.Op != ast.Text {
		return value{}, fmt.Errorf("the pattern %s is no literal", arg.Source)
	}
	name := tr.pattern(plan.GoQuote(arg.Text))
	return value{code: spell(name+".MatchString(", on.code, ")"), typ: types.Bool, guards: on.guards}, nil
}

// pattern is the name of the variable that holds a regular expression.
func (tr *translator) pattern(quoted string) string {
	return tr.variableFor(plan.Construct{Func: plan.Ident("regexp", "MustCompile"), Args: []any{plan.Raw(quoted)}}, "patternFor")
}
