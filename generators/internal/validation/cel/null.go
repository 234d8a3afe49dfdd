package cel

import (
	"fmt"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/validation/cel/ast"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

func isNull(e *ast.Expr) bool { return e.Op == ast.Literal && e.Name == "null" }

// compareNull translates the question whether a field is null. One that clients leave out is not:
// if it is not there, the rule fails, as has() tells.
func (tr *translator) compareNull(e *ast.Expr) (value, error) {
	of := e.Args[0]
	if isNull(of) {
		of = e.Args[1]
	}
	if of.Op != ast.Field || e.Name != "==" && e.Name != "!=" || tr.isOptional(of) {
		return value{}, fmt.Errorf("%s: only a field can be compared with null, by == and !=", e.Source)
	}
	on, err := tr.value(of.On)
	if err != nil {
		return value{}, err
	}
	v, err := tr.selected(of, on)
	if err != nil {
		return value{}, err
	}
	null := ""
	switch {
	case v.member == nil:
	case shape.Omitted(*v.member):
		return value{code: []any{fmt.Sprint(e.Name == "!=")}, typ: types.Bool, guards: all(on.guards, isThere(on, v))}, nil
	case shape.Nilable(v.member.Type):
		null = " " + e.Name + " nil"
	case v.typ == timeType && e.Name == "==":
		null = ".IsZero()"
	case v.typ == timeType:
		return value{code: v.filled.spelled(), typ: types.Bool, guards: on.guards}, nil
	}
	if null == "" {
		return value{}, fmt.Errorf("%s is never null; has() tells whether a field is there", of.Source)
	}
	return value{code: spell(on.code, "."+v.member.Name, null), typ: types.Bool, guards: on.guards}, nil
}
