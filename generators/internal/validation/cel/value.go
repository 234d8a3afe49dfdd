package cel

import (
	"fmt"
	goconst "go/constant"
	"go/token"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// value is a Go expression with its type.
type value struct {
	code []any
	typ  *types.Type
	// guards are conditions for the value to be there: in CEL, what is not there makes the rule
	// fail.
	guards condition
	// literal is what a literal says; nil for all other values. It takes the type of what it is
	// compared with.
	literal goconst.Value
	// is holds the parts of a value that is a condition made of others.
	is condition
	// member is the field it was read from; absent says that it may not be there.
	member *types.Member
	absent bool
	// path is Go for where it is in the object; nil if it is not known, as of an old value.
	path []any
	// filled is the condition that a value which may be null is not.
	filled condition
	// read is a text as the duration that it is read as, if it was one in Go.
	read []any
}

// spell joins pieces of Go; a list of pieces counts as its pieces.
func spell(pieces ...any) []any {
	var out []any
	for _, p := range pieces {
		if list, ok := p.([]any); ok {
			out = append(out, list...)
		} else {
			out = append(out, p)
		}
	}
	return out
}

// holds is a condition with what must be there for it.
func (v value) holds() condition {
	if !v.is.always() {
		return all(v.guards, v.is)
	}
	return all(v.guards, leaf(v.code))
}

// told is a condition as a value.
func told(c condition) value {
	return value{code: spell("(", c.spelled(), ")"), typ: types.Bool, is: c}
}

// as is the value in a Go type that it can be converted to.
func (v value) as(t *types.Type) []any {
	if v.typ == t || v.literal != nil && v.suits(t) {
		return v.code
	}
	return spell(t, "(", v.code, ")")
}

// suits tells whether Go takes the literal for a value of a type as it is written.
func (v value) suits(t *types.Type) bool {
	n := shape.Native(t)
	if v.literal.Kind() == goconst.Float {
		return shape.IsFloat(n)
	}
	bits, signed := shape.IntSize(n)
	if v.literal.Kind() != goconst.Int || bits == 0 {
		return true
	}
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(bits))
	if signed {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	whole, _ := new(big.Int).SetString(v.literal.ExactString(), 10)
	return whole.Cmp(low) >= 0 && whole.Cmp(high) < 0
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

// simple tells whether all values are strings, numbers, bools, times or quantities: what can be
// done with these in CEL is known here.
func simple(values ...value) bool {
	return !slices.ContainsFunc(values, func(v value) bool { return shape.Native(v.typ).Kind != types.Builtin && typeNames[v.typ] == "" })
}

// unless is a mistake if that is certain, and else something that is not known here.
func unless(certain bool, format string, args ...any) error {
	if certain {
		return wrong(format, args...)
	}
	return fmt.Errorf(format, args...)
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

// below is the path of something in a value, by a method of paths.
func below(path []any, method string, step any) []any {
	if path == nil {
		return nil
	}
	return spell(path, "."+method+"(", step, ")")
}

// pointed is a value behind a pointer, if that is one.
func pointed(v value) value {
	if v.typ.Kind != types.Pointer {
		return known(v, false)
	}
	out := value{code: v.code, typ: model.Pointee(v.typ), guards: all(v.guards, leaf(v.code, " != nil")), path: v.path}
	if shape.Native(out.typ).Kind == types.Builtin {
		out.code = spell("*", v.code)
	}
	return known(out, true)
}
