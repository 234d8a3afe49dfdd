// Package cel judges values by rules in the Common Expression Language that gen does not compile to
// Go: it hands them to cel-go, with the functions of Kubernetes. Generated code declares such a
// rule as a variable and calls Judge.
//
// A rule sees what custom resources show to theirs: the JSON that was sent, if the server knows it
// (runtime/rules, Document), or else that of the Go value. Fields that are not there are no fields,
// times are timestamps, and lists with keys are equal whatever their order. An expression that
// fails does not hold, and says why. It ends when it has cost what one may cost, or all expressions
// about an object together, or with the context.
//
// Start reading at Judge. schema.go says what a Go type is in CEL, and package language which
// functions there are.
package cel

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/cel/common"

	"github.com/typeplane/typeplane/cel/language"
)

// The variables of rules.
const (
	selfName = "self"
	oldName  = "oldSelf"
)

// Rule is a rule as CustomResourceDefinitions have it, with the same fields. FieldPath is as errors
// show it, "spec.labels[a]".
type Rule struct {
	Rule, Message, MessageExpression, Reason, FieldPath string
	OptionalOldSelf                                     bool
	// Value says that the value is no pointer, list or map in Go, so that a zero may be one that
	// was not there. Omits says that clients leave out such a zero.
	Value, Omits bool
	// Fields are what markers say of fields that are in the value.
	Fields []Field
}

// Field is what markers say of a field.
type Field struct {
	// Of is the import path and name of the struct, with that of the field:
	// "example.com/v1.Spec.Start".
	Of string
	// Type and Format are those of its JSON, "" if they are those of its Go type.
	Type, Format string
	// ListType is "set" or "map", of which MapKeys are the keys.
	ListType string
	MapKeys  []string
}

// Program is a rule that can be asked, from any goroutine.
type Program struct {
	said          Rule
	rule, message celgo.Program // message is nil for none
	of            common.Schema
	transition    bool
}

// MustCompile compiles a rule about values of type T. It panics with what is wrong, which gen has
// looked for: only rules that gen has not printed have that.
func MustCompile[T any](r Rule) *Program {
	p, err := compile(r, reflect.TypeFor[T]())
	if err != nil {
		panic(fmt.Sprintf("the rule %q of %v can't be evaluated: %v; mend it where its marker is, and run gen", r.Rule, reflect.TypeFor[T](), err))
	}
	return p
}

func compile(r Rule, of reflect.Type) (*Program, error) {
	old := celgo.DynType
	if r.OptionalOldSelf {
		old = celgo.OptionalType(celgo.DynType)
	}
	env, err := language.Extended(celgo.Variable(selfName, celgo.DynType), celgo.Variable(oldName, old))
	if err != nil {
		return nil, err
	}
	p := &Program{said: r, of: newSchema(of, r.Fields)}
	var checked *celgo.Ast
	if p.rule, checked, err = program(env, r.Rule, celgo.BoolType); err != nil {
		return nil, err
	}
	p.transition = mentions(checked, oldName)
	if r.MessageExpression != "" {
		if p.message, _, err = program(env, r.MessageExpression, celgo.StringType); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// program compiles an expression whose result is of a type, as far as that can be said before it is
// evaluated.
func program(env *celgo.Env, text string, result *celgo.Type) (celgo.Program, *celgo.Ast, error) {
	checked, issues := env.Compile(text)
	if err := issues.Err(); err != nil {
		return nil, nil, err
	}
	if t := checked.OutputType(); !t.IsExactType(result) && !t.IsExactType(celgo.DynType) {
		return nil, nil, fmt.Errorf("%s is of type %s, and not %s", text, t, result)
	}
	p, err := language.Program(env, checked)
	return p, checked, err
}

// mentions tells whether an expression uses a variable.
func mentions(a *celgo.Ast, name string) bool {
	return len(ast.MatchDescendants(ast.NavigateAST(a.NativeRep()), func(e ast.NavigableExpr) bool {
		return e.Kind() == ast.IdentKind && e.AsIdent() == name
	})) > 0
}

// variables are what the names in a rule mean.
func (p *Program) variables(self, old any) map[string]any {
	vars := map[string]any{selfName: common.UnstructuredToVal(self, p.of)}
	switch {
	case old != nil && p.said.OptionalOldSelf:
		vars[oldName] = types.OptionalOf(common.UnstructuredToVal(old, p.of))
	case p.said.OptionalOldSelf:
		vars[oldName] = types.OptionalNone
	case old != nil:
		vars[oldName] = common.UnstructuredToVal(old, p.of)
	}
	return vars
}

// at is the path of the error.
func (p *Program) at(path *field.Path) *field.Path {
	if p.said.FieldPath == "" {
		return path
	}
	return path.Child(p.said.FieldPath)
}

// shown is the rule in what is said about it.
func (p *Program) shown() string {
	return strings.TrimSpace(cmp.Or(p.said.Message, p.said.Rule))
}

// refusal is the error of a value for which the rule does not hold.
func (p *Program) refusal(path *field.Path, value any, message string) *field.Error {
	switch p.said.Reason {
	case "FieldValueRequired":
		return field.Required(p.at(path), message)
	case "FieldValueForbidden":
		return field.Forbidden(p.at(path), message)
	case "FieldValueDuplicate":
		return field.Duplicate(p.at(path), value)
	}
	return field.Invalid(p.at(path), value, message)
}
