package cel

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime/rules"
)

// maxMessage is how many bytes a message may have that is computed.
const maxMessage = 5 << 10

// errBudget is that all expressions about an object together have cost too much.
var errBudget = errors.New("validation failed due to running out of cost budget, no further validation rules will be run")

// origin is where errors of rules come from.
const origin = "rule"

// Judge asks a rule about a value, which is not modified. A value that is nil is not judged, and a
// rule about a change only where there is an old value. It has the signature of generated
// validation.
func Judge[T any](ctx context.Context, op operation.Operation, path *field.Path, obj, oldObj T, p *Program) field.ErrorList {
	v := reflect.ValueOf(&obj).Elem()
	if isNil(v) {
		return nil
	}
	hasOld := op.Type == operation.Update && p.had(ctx, path, reflect.ValueOf(&oldObj).Elem())
	if p.transition && !hasOld && !p.said.OptionalOldSelf {
		return nil
	}
	self, old, err := p.values(ctx, path, v, reflect.ValueOf(&oldObj).Elem(), hasOld)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	var shown any = field.OmitValueType{}
	switch self.(type) {
	case map[string]any, []any:
	default:
		shown = self
	}
	return p.judge(ctx, path, shown, p.variables(self, old))
}

func (p *Program) judge(ctx context.Context, path *field.Path, shown any, vars map[string]any) field.ErrorList {
	result, err := spend(ctx, p.rule, vars)
	switch {
	case errors.Is(err, errBudget):
		return field.ErrorList{field.Invalid(path, shown, err.Error()).WithOrigin(origin)}
	case err != nil && strings.HasPrefix(err.Error(), "no such overload"):
		return p.failed(path, shown, fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %s", err, p.shown()))
	case err != nil:
		return p.failed(path, shown, fmt.Sprintf("%v evaluating rule: %s", err, p.shown()))
	case result == types.True:
		return nil
	}
	return field.ErrorList{p.refusal(path, shown, p.say(ctx, vars)).WithOrigin(origin)}
}

// failed is the error of a rule that can't be evaluated.
func (p *Program) failed(path *field.Path, shown any, message string) field.ErrorList {
	return field.ErrorList{field.Invalid(path, shown, message).WithOrigin(origin)}
}

// say is what the error says. A computed message counts if it is one line that is neither empty nor
// too long.
func (p *Program) say(ctx context.Context, vars map[string]any) string {
	if p.message != nil {
		if result, err := spend(ctx, p.message, vars); err == nil {
			said, _ := result.Value().(string)
			if said = strings.TrimSpace(said); said != "" && len(said) <= maxMessage && !strings.Contains(said, "\n") {
				return said
			}
		}
	}
	if p.said.Message != "" {
		return strings.TrimSpace(p.said.Message)
	}
	return "failed rule: " + p.shown()
}

// spend evaluates an expression. A panic of a function is an error.
func spend(ctx context.Context, p celgo.Program, vars map[string]any) (result ref.Val, err error) {
	defer func() {
		if r := recover(); r != nil {
			result, err = nil, fmt.Errorf("the expression panicked: %v", r)
		}
	}()
	if !rules.Spend(ctx, 0) {
		return nil, errBudget
	}
	result, details, err := p.ContextEval(ctx, vars)
	if details == nil {
		return result, err
	}
	if cost := details.ActualCost(); cost != nil && !rules.Spend(ctx, *cost) {
		return nil, errBudget
	}
	return result, err
}

// had tells whether there was a value before a change.
func (p *Program) had(ctx context.Context, path *field.Path, old reflect.Value) bool {
	return !isNil(old) && (!p.said.Value || rules.WasThere(ctx, path, old.Elem(), p.said.Omits))
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface:
		return v.IsNil()
	}
	return false
}
