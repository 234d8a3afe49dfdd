package widget

import (
	"context"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

const (
	maxReplicas = 1000
	maxPhase    = 64
)

// Validate_V1 are the rules of the best version, as gen would compile them. There are at most 1000
// replicas, which the status must not be written over either. A phase has at most 64 bytes, and the
// option "fixed" can't be changed. Nothing is painted in rainbow, unless the validation option of
// that name is on.
func Validate_V1(ctx context.Context, op operation.Operation, fldPath *field.Path, obj, oldObj *V1) field.ErrorList {
	var errs field.ErrorList
	update := op.Type == operation.Update && oldObj != nil
	if r := obj.Spec.Replicas; r != nil && *r > maxReplicas && !(update && oldObj.Spec.Replicas != nil && *oldObj.Spec.Replicas == *r) {
		errs = append(errs, field.Invalid(fldPath.Child("spec", "replicas"), *r, "must be less than or equal to 1000"))
	}
	if p := obj.Status.Phase; len(p) > maxPhase && !(update && oldObj.Status.Phase == p) {
		errs = append(errs, field.TooLong(fldPath.Child("status", "phase"), p, maxPhase))
	}
	if update && obj.Spec.Options["fixed"] != oldObj.Spec.Options["fixed"] {
		errs = append(errs, field.Invalid(fldPath.Child("spec", "options").Key("fixed"), obj.Spec.Options["fixed"], "field is immutable"))
	}
	if obj.Spec.Color == "rainbow" && !op.Options["Rainbow"] {
		errs = append(errs, field.Forbidden(fldPath.Child("spec", "color"), "needs the option Rainbow "+op.Request.SubresourcePath()))
	}
	if obj.Spec.Color == "experimental" {
		errs = append(errs, field.Invalid(fldPath.Child("spec", "color"), obj.Spec.Color, "on trial").MarkAlpha())
	}
	return errs
}
