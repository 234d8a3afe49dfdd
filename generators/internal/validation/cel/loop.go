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
