package validation

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/validation/cel"
)

// optionalOld translates the methods of an oldSelf that may have no value: optionalOldSelf makes a rule hold for new
// values too.
func (tr *translator) optionalOld(e *cel.Expr) (value, error) {
	tr.usesOld = true
	has := all(leaf("op.Type == ", ident(operationPath, "Update")), leaf("oldObj != nil"))
	old := tr.whole("oldObj")
	switch {
	case e.Name == "hasValue" && len(e.Args) == 0:
		return told(has), nil
	case e.Name == "value" && len(e.Args) == 0:
		old.guards = has
		return old, nil
	case e.Name == "orValue" && len(e.Args) == 1:
		return tr.orValue(e, has, old)
	}
	return value{}, fmt.Errorf("the method %s of an optional oldSelf is not supported; hasValue, value and orValue are", e.Name)
}

func (tr *translator) orValue(e *cel.Expr, has condition, old value) (value, error) {
	other, err := tr.value(e.Args[0])
	switch {
	case err != nil:
		return value{}, err
	case kindName(other.typ) != kindName(old.typ) || native(old.typ).Kind != types.Builtin:
		return value{}, fmt.Errorf("%s is %s or %s, and only one kind of string, number or bool is supported", e.Source, aKind(old.typ), aKind(other.typ))
	}
	return value{
		code:   spell("func() ", old.typ, " {\nif ", has.spelled(), " {\nreturn ", old.code, "\n}\nreturn ", other.as(old.typ), "\n}()"),
		typ:    old.typ,
		guards: other.guards, // CEL computes it in any case
	}, nil
}
