package validation

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

// loop translates all or exists over a list; each is the translation of what is said of every item.
func (tr *translator) loop(e *cel.Expr, name string, each translation) (condition, error) {
	on, err := tr.value(e.On)
	if err != nil {
		return condition{}, err
	}
	n := native(on.typ)
	if len(e.Args) != 2 || e.Args[0].Op != cel.Var || n.Kind != types.Slice {
		return condition{}, fmt.Errorf("%s: %s is over the items of a list", e.Source, e.Name)
	}
	local := e.Args[0].Name
	tr.loops++
	goName := fmt.Sprintf("item%d", tr.loops)
	item := pointed(value{code: []any{goName}, typ: n.Elem})
	before, shadowed := tr.locals[local]
	if tr.locals == nil {
		tr.locals = map[string]value{}
	}
	tr.locals[local] = item
	said, err := each(e.Args[1])
	delete(tr.locals, local)
	if shadowed {
		tr.locals[local] = before
	}
	if err != nil {
		return condition{}, err
	}
	stop, result, otherwise := spell("!(", said.spelled(), ")"), "true", "false"
	if name == "exists" {
		stop, result, otherwise = said.spelled(), "false", "true"
	}
	found := spell("func() bool {\nfor _, ", goName, " := range ", on.code, " {\nif ", stop, " {\nreturn "+otherwise+"\n}\n}\nreturn "+result+"\n}()")
	return all(on.guards, leaf(found)), nil
}
