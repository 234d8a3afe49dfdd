package cel

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// iteration is a walk over the items of a list, or over the keys of a map in their order.
type iteration struct {
	tr *translator
	on value
	// local is the variable in CEL, item the one in Go, index the number of the item.
	local, item, index string
	typ                *types.Type // of an item
}

// iterate begins a walk for a macro with so many arguments, of which the first is the variable.
func (tr *translator) iterate(e *ast.Expr, args int) (*iteration, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return nil, err
	}
	it := &iteration{tr: tr, on: on}
	switch n := shape.Native(on.typ); {
	case len(e.Args) != args || args < 2 || args > 3 || e.Args[0].Op != ast.Var:
		return nil, fmt.Errorf("%s: want it as in %s(item, …)", e.Source, e.Name)
	case n.Kind == types.Slice:
		it.typ = n.Elem
	case n.Kind == types.Map && shape.IsString(shape.Native(n.Key)):
		it.typ = n.Key
	default:
		return nil, fmt.Errorf("%s: %s is over the items of a list or the keys of a map", e.Source, e.Name)
	}
	tr.loops++
	it.local, it.item, it.index = e.Args[0].Name, fmt.Sprintf("item%d", tr.loops), fmt.Sprintf("i%d", tr.loops)
	return it, nil
}

// within translates with the variable.
func (it *iteration) within(translate func() error) error {
	item := value{code: []any{it.item}, typ: it.typ}
	if shape.Native(it.on.typ).Kind == types.Slice {
		item.path = below(it.on.path, "Index", it.index)
	}
	return it.tr.withLocal(it.local, pointed(item), translate)
}

// withLocal translates with a variable of a macro.
func (tr *translator) withLocal(name string, v value, translate func() error) error {
	before, shadowed := tr.locals[name]
	if tr.locals == nil {
		tr.locals = map[string]value{}
	}
	tr.locals[name] = v
	defer func() {
		delete(tr.locals, name)
		if shadowed {
			tr.locals[name] = before
		}
	}()
	return translate()
}

// says translates what is said of an item.
func (it *iteration) says(translate translation, e *ast.Expr) (c condition, err error) {
	err = it.within(func() error {
		c, err = translate(e)
		return err
	})
	return c, err
}

// each translates what is made of an item.
func (it *iteration) each(e *ast.Expr) (v value, err error) {
	err = it.within(func() error {
		v, err = it.tr.value(e)
		return err
	})
	return v, err
}

// decides translates a question about an item: when the answer is yes, and when there is one.
func (it *iteration) decides(e *ast.Expr) (yes, decided condition, err error) {
	if yes, err = it.says(it.tr.condition, e); err != nil {
		return yes, decided, err
	}
	no, err := it.says(it.tr.not, e)
	if err != nil || opposite(yes, no) {
		return yes, condition{}, err
	}
	return yes, either(yes, no), nil
}

// walk is Go that does something for every item.
func (it *iteration) walk(body ...any) []any {
	over := it.on.code
	if shape.Native(it.on.typ).Kind == types.Map {
		over = spell(plan.Ident("slices", "Sorted"), "(", plan.Ident("maps", "Keys"), "(", over, "))")
	}
	body = spell(body...)
	switch item, index := mentions(body, it.item), mentions(body, it.index); {
	case item && index:
		return spell("for ", it.index, ", ", it.item, " := range ", over, " {\n", body, "}\n")
	case item:
		return spell("for _, ", it.item, " := range ", over, " {\n", body, "}\n")
	case index:
		return spell("for ", it.index, " := range ", over, " {\n", body, "}\n")
	}
	return spell("for range ", over, " {\n", body, "}\n")
}

// mentions tells whether Go has a variable in it.
func mentions(code []any, name string) bool {
	var b strings.Builder
	for _, piece := range code {
		if text, ok := piece.(string); ok {
			b.WriteString(text)
		} else {
			b.WriteByte(' ')
		}
	}
	return regexp.MustCompile(`\b` + name + `\b`).MatchString(b.String())
}

// every is the condition that something holds for every item.
func (it *iteration) every(c condition) condition {
	if c.always() {
		return c
	}
	return it.search(c.negated(), "false", "true")
}

// search walks until something holds, of which it says found, or else otherwise.
func (it *iteration) search(said []any, found, otherwise string) condition {
	return leaf("func() bool {\n", it.walk("if ", said, " {\nreturn "+found+"\n}\n"), "return "+otherwise+"\n}()")
}

// loop translates all or exists; each is the translation of what is said of every item.
func (tr *translator) loop(e *ast.Expr, name string, each translation) (condition, error) {
	it, err := tr.iterate(e, 2)
	if err != nil {
		return condition{}, err
	}
	said, err := it.says(each, e.Args[1])
	if err != nil {
		return condition{}, err
	}
	if name == "exists" {
		return all(it.on.guards, it.search(said.spelled(), "true", "false")), nil
	}
	return all(it.on.guards, it.every(said)), nil
}

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
