package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// maybeValue is something that may have no value, like self.?name.
type maybeValue struct {
	// has says whether there is one, which then is val. guards are conditions for this to be known.
	has, guards condition
	val         value
}

// isOptional tells whether an expression is an optional value: where a path has a question mark in
// it, all that follows is.
func (tr *translator) isOptional(e *ast.Expr) bool {
	switch e.Op {
	case ast.Maybe, ast.MaybeIndex:
		return true
	case ast.Var: // optionalOldSelf makes a rule hold for new values too
		_, local := tr.locals[e.Name]
		return tr.optional && e.Name == "oldSelf" && !local
	case ast.Field, ast.Index:
		return tr.isOptional(e.On)
	case ast.Call:
		return e.On != nil && e.Name == "optMap" && tr.isOptional(e.On)
	}
	return false
}

// maybe translates an optional value.
func (tr *translator) maybe(e *ast.Expr) (maybeValue, error) {
	switch e.Op {
	case ast.Var:
		tr.usesOld = true
		return maybeValue{has: all(leaf("op.Type == ", plan.Ident(plan.OperationPath, "Update")), leaf("oldObj != nil")), val: tr.whole("oldObj")}, nil
	case ast.Call:
		return tr.optMap(e)
	}
	o, err := tr.base(e.On)
	if err != nil {
		return o, err
	}
	if e.Op == ast.Field || e.Op == ast.Maybe {
		v, err := tr.selected(e, o.val)
		if err != nil {
			return o, err
		}
		return maybeValue{all(o.has, isThere(o.val, v)), o.guards, v.bare()}, nil
	}
	at, err := tr.value(e.Args[0])
	if err != nil {
		return o, err
	}
	v, err := tr.item(e, o.val, at.bare())
	return maybeValue{all(o.has, v.guards), all(o.guards, at.guards), v.bare()}, err
}

// base translates what an optional field or item belongs to, which need not be optional.
func (tr *translator) base(e *ast.Expr) (maybeValue, error) {
	if tr.isOptional(e) {
		return tr.maybe(e)
	}
	v, err := tr.value(e)
	return maybeValue{guards: v.guards, val: v.bare()}, err
}

// bare is a value without its guards.
func (v value) bare() value {
	v.guards = condition{}
	return v
}

// optMap translates what is made of an optional value, if there is one.
func (tr *translator) optMap(e *ast.Expr) (maybeValue, error) {
	o, err := tr.maybe(e.On)
	if err != nil {
		return o, err
	}
	if len(e.Args) != 2 || e.Args[0].Op != ast.Var {
		return o, fmt.Errorf("%s: want it as in optMap(value, …)", e.Source)
	}
	var made value
	err = tr.withLocal(e.Args[0].Name, o.val, func() error {
		made, err = tr.value(e.Args[1])
		return err
	})
	if !made.guards.always() {
		o.guards = all(o.guards, either(leaf("!(", o.has.spelled(), ")"), made.guards))
	}
	o.val = made.bare()
	return o, err
}

// ofOptional translates a method of an optional value.
func (tr *translator) ofOptional(e *ast.Expr) (value, error) {
	o, err := tr.maybe(e.On)
	switch {
	case err != nil:
		return value{}, err
	case e.Name == "hasValue" && len(e.Args) == 0:
		out := told(o.has)
		out.guards = o.guards
		return out, nil
	case e.Name == "value" && len(e.Args) == 0:
		o.val.guards = all(o.guards, o.has)
		return o.val, nil
	case e.Name == "orValue" && len(e.Args) == 1:
		return tr.orValue(e, o)
	}
	return value{}, fmt.Errorf("%s may have no value, and the method %s of it is not supported; hasValue, value, orValue and optMap are", e.On.Source, e.Name)
}

func (tr *translator) orValue(e *ast.Expr, o maybeValue) (value, error) {
	if arg := e.Args[0]; arg.Op == ast.List && len(arg.Args) == 0 && shape.Native(o.val.typ).Kind == types.Slice {
		return o.or(e, value{code: []any{"nil"}, typ: o.val.typ})
	}
	other, err := tr.value(e.Args[0])
	if err != nil {
		return value{}, err
	}
	return o.or(e, other)
}

// or is the value, or else another one, which is looked at only if there is none.
func (o maybeValue) or(e *ast.Expr, other value) (value, error) {
	t, code := o.val.typ, o.val.code
	alternative := func() []any { return other.as(t) }
	switch {
	case o.val.typ == other.typ:
	case comparableLists(o.val, other):
		t, code, alternative = listOf(shape.Native(t).Elem), o.val.plain(), other.plain
	case nameOf(other.typ) != nameOf(t) || shape.Native(t).Kind != types.Builtin:
		return value{}, fmt.Errorf("%s is %s or %s, and only one kind of string, number, bool or list is supported", e.Source, aValue(t), aValue(other.typ))
	case o.val.literal != nil:
		t, code = other.typ, o.val.as(other.typ)
	}
	return value{
		code:   spell("func() ", t, " {\nif ", o.has.spelled(), " {\nreturn ", code, "\n}\nreturn ", alternative(), "\n}()"),
		typ:    t,
		guards: all(o.guards, either(o.has, other.guards)),
	}, nil
}
