package validation

import (
	"fmt"
	"reflect"
	"regexp"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

func asksHas(e *cel.Expr) bool {
	return e.Op == cel.Call && e.On == nil && e.Name == "has" && len(e.Args) == 1
}

// has tells whether a field is there, as far as Go can tell: one that clients leave out when it is zero is there if it is
// not zero, and one that they don't leave out always is.
func (tr *translator) has(e *cel.Expr) (value, error) {
	if e.Op != cel.Field {
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
	return value{code: isThere(on, v).spelled(), typ: types.Bool, guards: on.guards}, nil
}

// isThere tells whether a field of a value is there.
func isThere(on, v value) condition {
	if v.member == nil { // an entry of a map
		return v.guards
	}
	access := spell(on.code, "."+v.member.Name)
	switch n := native(v.member.Type); {
	case n.Kind == types.Pointer:
		return leaf(access, " != nil")
	case n.Kind == types.Slice || n.Kind == types.Map:
		return leaf("len(", access, ") != 0")
	case !omitted(*v.member):
	case isString(n):
		return leaf(access, ` != ""`)
	case isBool(n):
		return leaf(access)
	case isInt(n) || isFloat(n):
		return leaf(access, " != 0")
	}
	return condition{}
}

// size is the number of characters, items or entries.
func (tr *translator) size(e *cel.Expr) (value, error) {
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
	switch k := native(v.typ).Kind; {
	case isString(native(v.typ)):
		code := spell("int64(", ident("unicode/utf8", "RuneCountInString"), "(string(", v.code, ")))")
		return value{code: code, typ: types.Int64, guards: v.guards}, nil
	case k != types.Slice && k != types.Map:
		return value{}, fmt.Errorf("%s is %s, which has no size", of.Source, aKind(v.typ))
	}
	return value{code: spell("int64(len(", v.code, "))"), typ: types.Int64, guards: v.guards}, nil
}

// method translates a method of a value.
func (tr *translator) method(e *cel.Expr) (value, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return value{}, err
	}
	switch on.typ {
	case celDuration, celTime:
		return tr.part(e, on)
	case celQuantity:
		return tr.quantityMethod(e, on)
	}
	functions := map[string]string{"startsWith": "HasPrefix", "endsWith": "HasSuffix", "contains": "Contains", "matches": ""}
	fn, ok := functions[e.Name]
	if !ok || len(e.Args) != 1 {
		return value{}, fmt.Errorf("the method %s is not supported", e.Name)
	}
	if !isString(native(on.typ)) {
		return value{}, fmt.Errorf("%s is for strings, and %s is %s", e.Name, e.On.Source, aKind(on.typ))
	}
	text := spell("string(", on.code, ")")
	if e.Name == "matches" {
		return tr.matches(e, value{code: text, guards: on.guards})
	}
	arg, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	if !isString(native(arg.typ)) {
		return value{}, fmt.Errorf("%s is no string", e.Args[0].Source)
	}
	code := spell(ident("strings", fn), "(", text, ", string(", arg.code, "))")
	return value{code: code, typ: types.Bool, guards: all(on.guards, arg.guards)}, nil
}

func (tr *translator) matches(e *cel.Expr, on value) (value, error) {
	arg := e.Args[0]
	if arg.Op != cel.Text {
		return value{}, fmt.Errorf("the pattern %s is no literal", arg.Source)
	}
	if _, err := regexp.Compile(arg.Text); err != nil {
		return value{}, fmt.Errorf("%q is no regular expression: %v", arg.Text, err)
	}
	name := tr.pattern(goQuote(arg.Text))
	return value{code: spell(name+".MatchString(", on.code, ")"), typ: types.Bool, guards: on.guards}, nil
}

// pattern is the name of the variable that holds a regular expression.
func (tr *translator) pattern(quoted string) string {
	return tr.variableFor(construct{fn: ident("regexp", "MustCompile"), args: []any{raw(quoted)}}, "patternFor")
}

// variableFor is the name of the variable that holds a value, which is made once.
func (tr *translator) variableFor(init construct, prefix string) string {
	for _, v := range tr.vars {
		if reflect.DeepEqual(v.init, init) {
			return v.name
		}
	}
	name := tr.p.fresh(prefix + tr.name)
	tr.vars = append(tr.vars, variable{name, init})
	return name
}
