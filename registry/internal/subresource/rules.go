package subresource

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// Rules are the rules of what a subresource takes. nil: there are none.
type Rules struct {
	setDefaults func(body any)
	validate    func(ctx context.Context, op operation.Operation, body any) field.ErrorList
}

// RulesOf are those that two functions of a type P make.
func RulesOf[P any](
	setDefaults func(in P), validate func(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, oldObj P) field.ErrorList,
) *Rules {
	r := new(Rules)
	if setDefaults != nil {
		r.setDefaults = func(body any) { setDefaults(body.(P)) }
	}
	if validate != nil {
		r.validate = func(ctx context.Context, op operation.Operation, body any) field.ErrorList {
			var none P
			return validate(ctx, op, nil, body.(P), none)
		}
	}
	return r
}

// Fill sets the defaults of a body.
func (r *Rules) Fill(body any) {
	if r != nil && r.setDefaults != nil {
		r.setDefaults(body)
	}
}

// Judge says what is wrong with a body of a kind, as an API status. Rules that are marked as alpha
// are on trial.
func (r *Rules) Judge(ctx context.Context, subresource string, kind schema.GroupKind, name string, body any) error {
	if r == nil || r.validate == nil {
		return nil
	}
	op := operation.Operation{Type: operation.Create}
	op.Request.Subresources = []string{subresource}
	var errs field.ErrorList
	for _, err := range r.validate(ctx, op, body) {
		if !err.IsAlpha() {
			errs = append(errs, err)
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return rest.Invalid(kind, name, errs)
}
