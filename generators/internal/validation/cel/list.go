package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// existsOne is whether something holds for just one item. In CEL all items are looked at, and one
// of which it can't be said makes the rule fail, whatever the others are.
func (tr *translator) existsOne(e *ast.Expr) (value, error) {
	it, err := tr.iterate(e, 2)
	if err != nil {
		return value{}, err
	}
	yes, decided, err := it.decides(e.Args[1])
	if err != nil {
		return value{}, err
	}
	code := spell("func() bool {\ncount := 0\n", it.walk("if ", yes.spelled(), " {\ncount++\n}\n"), "return count == 1\n}()")
	return value{code: code, typ: types.Bool, guards: all(it.on.guards, it.every(decided))}, nil
}

// filter is the list of those items for which something holds.
func (tr *translator) filter(e *ast.Expr) (value, error) {
	it, err := tr.iterate(e, 2)
	if err != nil {
		return value{}, err
	}
	yes, decided, err := it.decides(e.Args[1])
	if err != nil {
		return value{}, err
	}
	t := it.on.typ
	if shape.Native(t).Kind == types.Map {
		t = listOf(shape.Native(t).Key)
	}
	code := spell("func() (out ", t, ") {\n", it.walk("if ", yes.spelled(), " {\nout = append(out, ", it.item, ")\n}\n"), "return out\n}()")
	return value{code: code, typ: t, guards: all(it.on.guards, it.every(decided))}, nil
}

// mapped is the list of what is made of every item, or of those for which something holds.
func (tr *translator) mapped(e *ast.Expr) (value, error) {
	it, err := tr.iterate(e, len(e.Args))
	if err != nil {
		return value{}, err
	}
	made, err := it.each(e.Args[len(e.Args)-1])
	if err != nil {
		return value{}, err
	}
	if n := shape.Native(made.typ); n.Kind != types.Builtin {
		return value{}, fmt.Errorf("%s makes a list of %ss, and only strings, numbers and bools are supported", e.Source, nameOf(made.typ))
	}
	add := spell("out = append(out, ", made.code, ")\n")
	guards := made.guards
	if len(e.Args) == 3 {
		yes, decided, err := it.decides(e.Args[1])
		if err != nil {
			return value{}, err
		}
		no, err := it.says(tr.not, e.Args[1])
		if err != nil {
			return value{}, err
		}
		if guards = decided; !made.guards.always() {
			guards = either(no, all(yes, made.guards))
		}
		add = spell("if ", yes.spelled(), " {\n", add, "}\n")
	}
	t := listOf(made.typ)
	code := spell("func() (out ", t, ") {\n", it.walk(add), "return out\n}()")
	return value{code: code, typ: t, guards: all(it.on.guards, it.every(guards))}, nil
}

// list is a list of which every item is written down.
func (tr *translator) list(e *ast.Expr) (value, error) {
	var items []value
	var of *types.Type
	out := value{}
	for _, arg := range e.Args {
		v, err := tr.value(arg)
		if err != nil {
			return value{}, err
		}
		if of == nil || v.literal == nil {
			of = v.typ
		}
		items, out.guards = append(items, v), all(out.guards, v.guards)
	}
	if of == nil {
		return value{}, fmt.Errorf("%s: the list is empty", e.Source)
	}
	if shape.Native(of).Kind != types.Builtin {
		return value{}, fmt.Errorf("%s is a list of %ss, and only strings, numbers and bools are supported", e.Source, nameOf(of))
	}
	out.typ = listOf(of)
	out.code = spell(out.typ, "{")
	for i, v := range items {
		if nameOf(v.typ) != nameOf(of) {
			return value{}, fmt.Errorf("%s holds %s and %s", e.Source, aValue(of), aValue(v.typ))
		}
		if i > 0 {
			out.code = append(out.code, ", ")
		}
		out.code = spell(out.code, v.as(of))
	}
	out.code = append(out.code, "}")
	return out, nil
}

func listOf(t *types.Type) *types.Type {
	return &types.Type{Name: types.Name{Name: "[]" + t.Name.String()}, Kind: types.Slice, Elem: t}
}

// comparableLists tells whether two values are lists of the same simple type.
func comparableLists(a, b value) bool {
	x, y := shape.Native(a.typ), shape.Native(b.typ)
	return x.Kind == types.Slice && y.Kind == types.Slice && shape.Native(x.Elem).Kind == types.Builtin && x.Elem.Name == y.Elem.Name
}

// plain is a list in the type that has no name.
func (v value) plain() []any {
	if v.typ.Kind == types.Slice {
		return v.code
	}
	t := listOf(shape.Native(v.typ).Elem)
	return spell(t, "(", v.code, ")")
}
