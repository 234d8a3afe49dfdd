package judge

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/rules"
)

// converted are an object and its predecessor, nil for none, in the version to which convert leads.
func converted(convert func(runtime.Object) (runtime.Object, error), hub, old runtime.Object) (obj, before runtime.Object, err error) {
	if obj, err = convert(hub); err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("convert an object to validate it: %w", err))
	}
	if old == nil {
		return obj, nil, nil
	}
	if before, err = convert(old); err != nil {
		return nil, nil, apierrors.NewInternalError(fmt.Errorf("convert the old object to validate an update: %w", err))
	}
	return obj, before, nil
}

// askRules asks the rules of a version. In an update they see the old object too, so that what was
// not changed is not judged again. A rule that became stricter is for what is written from then on.
// Rules that are marked as alpha do not count.
func askRules(ctx context.Context, kind *runtime.Kind, op operation.Operation, obj, before runtime.Object) (field.ErrorList, error) {
	if !kind.Validates() {
		return nil, nil
	}
	var errs field.ErrorList
	for _, err := range kind.Validate(rules.WithBudget(ctx, expressionBudget), op, obj, before) {
		if !err.IsAlpha() {
			errs = append(errs, err)
		}
	}
	return errs, ctx.Err() // the rules stop looking when nobody waits for the answer any more
}

// expressionBudget is what the rules about an object that are expressions may cost in all, in steps
// of CEL: about a second. It is Kubernetes' for a custom resource.
const expressionBudget = 10_000_000
