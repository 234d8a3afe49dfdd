package expression

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook"
)

// conditions are matchConditions.
type conditions []condition

type condition struct {
	*program
	name string
}

func compileConditions(e *cel.Env, all []admissionregistrationv1.MatchCondition, path *field.Path) (c conditions, errs field.ErrorList) {
	for i, one := range all {
		compiled, err := compile(e, one.Expression, path.Index(i).Child("expression"), cel.BoolType)
		if err != nil {
			errs = append(errs, err)
		}
		c = append(c, condition{compiled, one.Name})
	}
	return c, errs
}

// met says whether all conditions are. One that is not counts more than those that fail.
func (c conditions) met(b *budget, vars *scope) (bool, error) {
	var errs []error
	for _, one := range c {
		result, err := b.spend(one.program, vars)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("match condition '%s': %w", one.name, err))
		case result != types.True:
			return false, nil
		}
	}
	return len(errs) == 0, errors.Join(errs...)
}

// Conditions compiles the matchConditions of a webhook: it is the Conditions of features.Extras.
func Conditions(all []admissionregistrationv1.MatchCondition, path *field.Path) (webhook.Match, field.ErrorList) {
	e, err := environment()
	if err != nil {
		return nil, field.ErrorList{field.InternalError(path, err)}
	}
	c, errs := compileConditions(e, all, path)
	if len(errs) > 0 {
		return nil, errs
	}
	return func(ctx context.Context, request *admissionv1.AdmissionRequest, may auth.Authorizer) (bool, error) {
		input, err := NewInput(request)
		if err != nil {
			return false, err
		}
		input.Authorizer = may
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		b := &budget{ctx, conditionsBudget}
		return c.met(b, &scope{input: input, budget: b})
	}, nil
}

var _ webhook.Conditions = Conditions
