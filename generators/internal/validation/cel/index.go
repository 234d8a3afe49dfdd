package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

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
