package registry

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// WithRules returns a subresource that fills in the defaults of what it takes, and refuses what
// breaks the rules in the markers of its type, before anybody sees it. The functions are those that
// gen prints beside the type P, which is the body or the options; one that is nil has nothing to
// say. Admission comes between the two.
func WithRules[T runtime.Object, P any](
	s Subresource[T], setDefaults func(in P), validate func(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, oldObj P) field.ErrorList,
) Subresource[T] {
	s.rules = new(bodyRules)
	if setDefaults != nil {
		s.rules.setDefaults = func(body any) { setDefaults(body.(P)) }
	}
	if validate != nil {
		s.rules.validate = func(ctx context.Context, op operation.Operation, body any) field.ErrorList {
			var none P
			return validate(ctx, op, nil, body.(P), none)
		}
	}
	if _, ok := s.body.(P); !ok {
		s.problem = fmt.Sprintf("its rules are for a %T, and it takes a %T", *new(P), s.body)
	}
	return s
}

// bodyRules are the rules of what a subresource takes. nil: there are none.
type bodyRules struct {
	setDefaults func(body any)
	validate    func(ctx context.Context, op operation.Operation, body any) field.ErrorList
}

func (r *bodyRules) fill(body any) {
	if r != nil && r.setDefaults != nil {
		r.setDefaults(body)
	}
}

// judge says what is wrong with a body of a kind, as an API status. Rules that are marked as alpha
// are on trial.
func (r *bodyRules) judge(ctx context.Context, subresource string, kind schema.GroupKind, name string, body any) error {
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
