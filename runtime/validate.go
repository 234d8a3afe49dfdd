package runtime

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Validates says whether the version has compiled rules.
func (k *Kind) Validates() bool { return k.validate != nil }

// Validate says what the rules of the version find wrong with obj, and, in an update, with the
// change from old; old is nil for a new object. The kind must have rules. Nothing is modified.
func (k *Kind) Validate(ctx context.Context, op operation.Operation, obj, old Object) field.ErrorList {
	return k.validate(ctx, op, obj, old)
}

// OwnRulesOnly says that what is written through this version is not judged by the rules of the
// storage version.
func (k *Kind) OwnRulesOnly() bool { return k.ownRulesOnly }

// validation drops the type of Version.Validate.
func validation[V Object](f func(context.Context, operation.Operation, *field.Path, V, V) field.ErrorList) func(context.Context, operation.Operation, Object, Object) field.ErrorList {
	if f == nil {
		return nil
	}
	return func(ctx context.Context, op operation.Operation, obj, old Object) field.ErrorList {
		var before V
		if old != nil {
			before = old.(V)
		}
		return f(ctx, op, nil, obj.(V), before)
	}
}
