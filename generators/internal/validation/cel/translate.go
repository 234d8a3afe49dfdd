package cel

import (
	"fmt"
	goconst "go/constant"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// translator makes Go of one rule. This file has what every expression goes through: conditions,
// values, fields and entries. The files beside it are by what an expression is made of.
type translator struct {
	self *types.Type // of the value that the rule stands on
	// absent tells whether a field of a struct may be absent.
	absent func(owner *types.Type, m types.Member) bool
	// format is what markers say of the format of a field.
	format  func(owner *types.Type, m types.Member) string
	fresh   func(prefix string) string
	vars    []plan.Variable
	helpers []plan.Helper
	// locals are the variables of macros, like all.
	locals map[string]value
	// optional says that the rule is also for values that are new: oldSelf may have no value.
	optional bool
	usesOld  bool
	loops    int
}

func (tr *translator) use(h plan.Helper) { tr.helpers = append(tr.helpers, h) }

// variableFor is the name of the variable that holds a value, which is made once.
func (tr *translator) variableFor(init plan.Construct, prefix string) string {
	for _, v := range tr.vars {
		if reflect.DeepEqual(v.Init, init) {
			return v.Name
		}
	}
	name := tr.fresh(prefix)
	tr.vars = append(tr.vars, plan.Variable{Name: name, Init: init})
	return name
}

// condition translates something that is true or false. In CEL, what fails is neither: so the Go is
// true only if the rule holds, and not is only true if the opposite does.
func (tr *translator) condition(e *ast.Expr) (condition, error) {
	switch {
	case e.Op == ast.Literal && e.Name == "true":
		return condition{}, nil
	case e.Op == ast.Literal && e.Name == "false":
		return leaf(e.Name), nil
	case e.Op == ast.Not:
		return tr.not(e.Args[0])
	case e.Op == ast.Binary && e.Name == "&&":
		return both(all, tr.condition, e.Args[0], tr.condition, e.Args[1])
	case e.Op == ast.Binary && e.Name == "||":
		return both(either, tr.condition, e.Args[0], tr.condition, e.Args[1])
	case e.Op == ast.If:
		return tr.branches(e, tr.condition)
	case e.Op == ast.Call && e.On != nil && (e.Name == "all" || e.Name == "exists"):
		return tr.loop(e, e.Name, tr.condition)
	}
	v, err := tr.truth(e)
	return v.holds(), err
}

// not translates the opposite.
func (tr *translator) not(e *ast.Expr) (condition, error) {
	opposite := map[string]string{"all": "exists", "exists": "all"}
	switch {
	case e.Op == ast.Not:
		return tr.condition(e.Args[0])
	case e.Op == ast.Binary && e.Name == "&&":
		return both(either, tr.not, e.Args[0], tr.not, e.Args[1])
	case e.Op == ast.Binary && e.Name == "||":
		return both(all, tr.not, e.Args[0], tr.not, e.Args[1])
	case e.Op == ast.If:
		return tr.branches(e, tr.not)
	case e.Op == ast.Call && e.On != nil && opposite[e.Name] != "":
		return tr.loop(e, opposite[e.Name], tr.not)
	}
	v, err := tr.truth(e)
	return all(v.guards, leaf(leaf(v.code).negated())), err
}

// truth translates a condition that is not made of others.
func (tr *translator) truth(e *ast.Expr) (value, error) {
	if asksHas(e) {
		return tr.has(e.Args[0])
	}
	v, err := tr.value(e)
	if err == nil && !shape.IsBool(shape.Native(v.typ)) {
		err = unless(simple(v), "%s is neither true nor false", e.Source)
	}
	return v, err
}

// branches translates both ways of a conditional expression.
func (tr *translator) branches(e *ast.Expr, branch translation) (condition, error) {
	yes, err := both(all, tr.condition, e.Args[0], branch, e.Args[1])
	if err != nil {
		return condition{}, err
	}
	no, err := both(all, tr.not, e.Args[0], branch, e.Args[2])
	return either(yes, no), err
}

type translation func(*ast.Expr) (condition, error)

// both joins two translations.
func both(join func(...condition) condition, first translation, a *ast.Expr, second translation, b *ast.Expr) (condition, error) {
	left, err := first(a)
	if err != nil {
		return condition{}, err
	}
	right, err := second(b)
	return join(left, right), err
}

func whole(c goconst.Value) value {
	return value{code: []any{c.ExactString()}, typ: types.Int64, literal: c}
}

// numeral is a number as CEL has it.
func numeral(e *ast.Expr) (value, error) {
	if strings.HasSuffix(strings.ToLower(e.Text), "u") {
		return value{}, fmt.Errorf("%s is a number without a sign", e.Source)
	}
	if strings.ContainsAny(e.Text, ".eE") && !strings.HasPrefix(e.Text, "0x") {
		return value{code: []any{e.Text}, typ: types.Float64, literal: goconst.MakeFromLiteral(e.Text, token.FLOAT, 0)}, nil
	}
	base, digits := 10, e.Text
	if rest, hex := strings.CutPrefix(e.Text, "0x"); hex {
		base, digits = 16, rest
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return value{}, wrong("%s is no number of 64 bits", e.Source)
	}
	return whole(goconst.MakeInt64(n)), nil
}

// value translates something that is not made of conditions.
func (tr *translator) value(e *ast.Expr) (value, error) {
	switch e.Op {
	case ast.Var:
		return tr.variable(e)
	case ast.Field:
		return tr.field(e)
	case ast.Index:
		return tr.index(e)
	case ast.Maybe, ast.MaybeIndex:
		return value{}, fmt.Errorf("%s may have no value; write what it is then, as in orValue('')", e.Source)
	case ast.Text:
		return value{code: []any{strconv.Quote(e.Text)}, typ: types.String, literal: goconst.MakeString(e.Text)}, nil
	case ast.Number:
		return numeral(e)
	case ast.Negate:
		return tr.negative(e)
	case ast.Literal:
		if isNull(e) {
			return value{}, fmt.Errorf("null is not supported here; a field can be compared with it")
		}
		return value{code: []any{e.Name}, typ: types.Bool, literal: goconst.MakeBool(e.Name == "true")}, nil
	case ast.List:
		return tr.list(e)
	case ast.If:
		return tr.choice(e)
	case ast.Call:
		return tr.call(e)
	case ast.Not:
		return tr.decided(e)
	case ast.Binary:
		switch {
		case e.Name == "&&" || e.Name == "||":
			return tr.decided(e)
		case comparisons[e.Name]:
			return tr.compare(e)
		case e.Name == "in":
			return tr.in(e)
		case arithmeticSigns[e.Name]:
			return tr.arithmetic(e)
		}
	}
	return value{}, fmt.Errorf("%s is not supported here", e.Source)
}

// decided is a condition that is made of others as a value. It is there if either the condition
// holds or its opposite.
func (tr *translator) decided(e *ast.Expr) (value, error) {
	yes, err := tr.condition(e)
	if err != nil {
		return value{}, err
	}
	no, err := tr.not(e)
	if err != nil {
		return value{}, err
	}
	out := told(yes)
	if !opposite(yes, no) {
		out.guards = either(yes, no)
	}
	return out, nil
}

// text translates something that is text.
func (tr *translator) text(e *ast.Expr) (value, error) {
	v, err := tr.value(e)
	if err == nil && !shape.IsString(shape.Native(v.typ)) {
		err = unless(simple(v), "%s is %s, and no text", e.Source, aValue(v.typ))
	}
	v.code, v.typ = v.as(types.String), types.String
	return v, err
}

// call translates functions, and methods that have one value.
func (tr *translator) call(e *ast.Expr) (value, error) {
	switch {
	case e.Name == "size":
		return tr.size(e)
	case asksHas(e):
		v, err := tr.has(e.Args[0])
		v.code = spell("(", v.code, ")") // an operand
		return v, err
	case e.On == nil && makers[e.Name] != nil:
		return tr.made(e)
	case e.On == nil && (e.Name == "string" || e.Name == "int" || e.Name == "double") && len(e.Args) == 1:
		return tr.convert(e)
	case e.On == nil:
		return value{}, fmt.Errorf("the function %s is not supported", e.Name)
	case tr.isOptional(e.On):
		return tr.ofOptional(e)
	case e.Name == "exists_one":
		return tr.existsOne(e)
	case e.Name == "filter":
		return tr.filter(e)
	case e.Name == "map":
		return tr.mapped(e)
	case slices.Contains([]string{"all", "exists"}, e.Name):
		return tr.decided(e)
	}
	return tr.method(e)
}

// choice is one of two values.
func (tr *translator) choice(e *ast.Expr) (value, error) {
	yes, err := tr.value(e.Args[1])
	if err != nil {
		return value{}, err
	}
	no, err := tr.value(e.Args[2])
	if err != nil {
		return value{}, err
	}
	t := yes.typ
	if yes.literal != nil {
		t = no.typ
	}
	if nameOf(yes.typ) != nameOf(no.typ) || shape.Native(t).Kind != types.Builtin {
		return value{}, fmt.Errorf("%s is %s or %s, and only one kind of string, number or bool is supported", e.Source, aValue(yes.typ), aValue(no.typ))
	}
	condition, err := tr.condition(e.Args[0])
	if err != nil {
		return value{}, err
	}
	opposite, err := tr.not(e.Args[0])
	if err != nil {
		return value{}, err
	}
	return value{
		code: spell("func() ", t, " {\nif ", condition.spelled(), " {\nreturn ", yes.as(t), "\n}\nreturn ", no.as(t), "\n}()"), typ: t,
		guards: either(all(condition, yes.guards), all(opposite, no.guards)),
	}, nil
}

func (tr *translator) variable(e *ast.Expr) (value, error) {
	if v, ok := tr.locals[e.Name]; ok {
		return v, nil
	}
	switch e.Name {
	case "self":
		v := tr.whole("obj")
		v.path = []any{"fldPath"}
		return v, nil
	case "oldSelf":
		if tr.optional {
			return value{}, wrong("oldSelf is optional in this rule; write oldSelf.hasValue() and oldSelf.value()")
		}
		tr.usesOld = true
		return tr.whole("oldObj"), nil
	}
	return value{}, fmt.Errorf("%s is not supported here", e.Source)
}

// whole is the value that the rule stands on, by the name of a parameter.
func (tr *translator) whole(name string) value {
	t := model.Pointee(tr.self)
	if b := shape.Native(t); b.Kind == types.Builtin {
		return value{code: []any{"*" + name}, typ: t}
	}
	return known(value{code: []any{name}, typ: t}, !shape.Nilable(t))
}

func (tr *translator) field(e *ast.Expr) (value, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return value{}, err
	}
	return tr.selected(e, on)
}

// otherFormats are those of texts that are something else in CEL: a timestamp, a duration or bytes.
var otherFormats = []string{"date-time", "date", "duration", "byte"}

// selected is a field of a value, or the entry of a map that is written like one.
func (tr *translator) selected(e *ast.Expr, on value) (value, error) {
	owner := shape.Native(on.typ)
	if owner.Kind == types.Map {
		return tr.entry(e, on, value{code: []any{strconv.Quote(e.Name)}, typ: types.String, literal: goconst.MakeString(e.Name)})
	}
	if owner.Kind != types.Struct {
		return value{}, unless(simple(on), "%s is %s, which has no fields", e.On.Source, aValue(on.typ))
	}
	name := strings.TrimSuffix(strings.TrimPrefix(e.Name, "__"), "__")
	in, m := shape.FieldByJSON(owner, name)
	if m == nil {
		return value{}, unless(!shape.OwnJSON(on.typ), "%s", plan.NoSuchField(owner, e.Name))
	}
	if format := tr.format(in, *m); slices.Contains(otherFormats, format) {
		return value{}, fmt.Errorf("%s has the format %s, so that it is no text", e.Source, format)
	}
	out := pointed(value{code: spell(on.code, "."+m.Name), typ: m.Type, guards: on.guards, path: below(on.path, "Child", strconv.Quote(name))})
	out.member, out.absent = m, tr.absent(in, *m)
	out.guards = all(out.guards, readable(on, out))
	return out, nil
}

// index translates an item of a list, or an entry of a map. One that is not there makes the rule
// fail.
func (tr *translator) index(e *ast.Expr) (value, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return value{}, err
	}
	at, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	return tr.item(e, on, at)
}

// intType is the type of the numbers of items in Go.
var intType = &types.Type{Name: types.Name{Name: "int"}, Kind: types.Builtin}

// item is that item or entry of a value.
func (tr *translator) item(e *ast.Expr, on, at value) (value, error) {
	n := shape.Native(on.typ)
	switch {
	case n.Kind == types.Map:
		return tr.entry(e, on, at)
	case n.Kind != types.Slice:
		return value{}, unless(simple(on), "%s is %s, which has no items", e.On.Source, aValue(on.typ))
	case !shape.IsInt(shape.Native(at.typ)):
		return value{}, fmt.Errorf("%s is %s, and items of lists have numbers", e.Args[0].Source, aValue(at.typ))
	}
	within := all(leaf("0 <= ", at.code), leaf(at.as(types.Int64), " < int64(len(", on.code, "))"))
	if at.literal != nil {
		within = leaf("len(", on.code, ") > ", at.code)
		if !at.suits(types.Uint32) {
			return value{}, wrong("%s: no list has an item of that number", e.Source)
		}
	}
	guards := all(on.guards, at.guards, within)
	return pointed(value{code: spell(on.code, "[", at.code, "]"), typ: n.Elem, guards: guards, path: below(on.path, "Index", at.as(intType))}), nil
}

// entry translates the entry of a map.
func (tr *translator) entry(e *ast.Expr, on, key value) (value, error) {
	n := shape.Native(on.typ)
	if !shape.IsString(shape.Native(n.Key)) || !shape.IsString(shape.Native(key.typ)) {
		return value{}, fmt.Errorf("%s asks %s with keys of type %s for %s", e.Source, aValue(on.typ), nameOf(n.Key), aValue(key.typ))
	}
	has := leaf("func() bool { _, ok := ", on.code, "[", key.as(n.Key), "]; return ok }()")
	return pointed(value{code: spell(on.code, "[", key.as(n.Key), "]"), typ: n.Elem, guards: all(on.guards, key.guards, has), path: below(on.path, "Key", key.as(types.String))}), nil
}
