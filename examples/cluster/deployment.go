package main

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// DeploymentStrategy holds the rules of deployments, and their columns.
type DeploymentStrategy struct{ strategy.Deployment }

// Validate says what is wrong with a deployment.
func (DeploymentStrategy) Validate(_ context.Context, d *appsv1.Deployment) field.ErrorList {
	spec, path := &d.Spec, field.NewPath("spec")
	var errs field.ErrorList
	for _, n := range []struct {
		name  string
		value *int32
	}{
		{"replicas", spec.Replicas}, {"minReadySeconds", &spec.MinReadySeconds},
		{"revisionHistoryLimit", spec.RevisionHistoryLimit}, {"progressDeadlineSeconds", spec.ProgressDeadlineSeconds},
	} {
		if n.value != nil && *n.value < 0 {
			errs = append(errs, field.Invalid(path.Child(n.name), *n.value, "must be greater than or equal to 0"))
		}
	}
	if deadline := spec.ProgressDeadlineSeconds; deadline != nil && *deadline <= spec.MinReadySeconds {
		errs = append(errs, field.Invalid(path.Child("progressDeadlineSeconds"), *deadline, "must be greater than minReadySeconds"))
	}
	selector, wrong := deploymentSelector(spec.Selector, path.Child("selector"))
	errs = append(errs, wrong...)
	errs = append(errs, validateTemplate(&spec.Template, selector, "ReplicaSet", path.Child("template"))...)
	return append(errs, validateRollout(&spec.Strategy, path.Child("strategy"))...)
}

// deploymentSelector reads a selector. Without one nothing is selected; by one that is wrong
// everything, so that nobody is told of what it does not select.
func deploymentSelector(in *metav1.LabelSelector, path *field.Path) (labels.Selector, field.ErrorList) {
	if in == nil {
		return labels.Nothing(), field.ErrorList{field.Required(path, "")}
	}
	errs := metav1validation.ValidateLabelSelector(in, metav1validation.LabelSelectorValidationOptions{}, path)
	if len(in.MatchLabels)+len(in.MatchExpressions) == 0 {
		errs = append(errs, field.Invalid(path, in, "empty selector is invalid for deployment"))
	}
	selector, err := metav1.LabelSelectorAsSelector(in)
	if err != nil {
		return labels.Everything(), append(errs, field.Invalid(path, in, "invalid label selector"))
	}
	return selector, errs
}

// validateRollout judges how old pods are replaced by new ones: at least one at a time has to be
// possible.
func validateRollout(strategy *appsv1.DeploymentStrategy, path *field.Path) field.ErrorList {
	rolling := path.Child("rollingUpdate")
	switch strategy.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if strategy.RollingUpdate != nil {
			return field.ErrorList{field.Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")}
		}
		return nil
	case appsv1.RollingUpdateDeploymentStrategyType:
	default:
		return oneOf(path, strategy.Type, appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType)
	}
	if strategy.RollingUpdate == nil {
		return field.ErrorList{field.Required(rolling, "")}
	}
	fewer, more := strategy.RollingUpdate.MaxUnavailable, strategy.RollingUpdate.MaxSurge
	errs := append(validateShare(fewer, rolling.Child("maxUnavailable")), validateShare(more, rolling.Child("maxSurge"))...)
	if isNone(fewer) && isNone(more) {
		errs = append(errs, field.Invalid(rolling.Child("maxUnavailable"), fewer, "may not be 0 when `maxSurge` is 0"))
	}
	if n, isPercent := share(fewer); isPercent && n > 100 {
		errs = append(errs, field.Invalid(rolling.Child("maxUnavailable"), fewer, "must not be greater than 100%"))
	}
	return errs
}

// validateShare judges a number, or a percentage, of the replicas.
func validateShare(s *intstr.IntOrString, path *field.Path) field.ErrorList {
	switch {
	case s == nil:
		return field.ErrorList{field.Required(path, "")}
	case s.Type == intstr.String:
		return invalid(path, s.StrVal, validation.IsValidPercent(s.StrVal))
	case s.IntVal < 0:
		return field.ErrorList{field.Invalid(path, s.IntVal, "must be greater than or equal to 0")}
	}
	return nil
}

// share is the number in a number or percentage that validateShare has nothing against; 0 of
// others.
func share(s *intstr.IntOrString) (n int, isPercent bool) {
	if s == nil || s.Type == intstr.Int {
		return s.IntValue(), false
	}
	if _, err := fmt.Sscanf(s.StrVal, "%d%%", &n); err != nil {
		return 0, false
	}
	return n, true
}

// isNone says whether a share is zero.
func isNone(s *intstr.IntOrString) bool {
	n, _ := share(s)
	return n == 0
}

// ValidateUpdate says what is wrong with a changed deployment. Its selector stays: pods that it no
// longer found would be left to themselves.
func (s DeploymentStrategy) ValidateUpdate(ctx context.Context, d, old *appsv1.Deployment) field.ErrorList {
	errs := s.Validate(ctx, d)
	if !semantic.Equal(d.Spec.Selector, old.Spec.Selector) {
		errs = append(errs, field.Invalid(field.NewPath("spec", "selector"), d.Spec.Selector, "field is immutable"))
	}
	return errs
}

// ValidateStatusUpdate says what is wrong with a changed status.
func (DeploymentStrategy) ValidateStatusUpdate(_ context.Context, d, old *appsv1.Deployment) field.ErrorList {
	status, path := &d.Status, field.NewPath("status")
	var errs field.ErrorList
	if status.ObservedGeneration < 0 {
		errs = append(errs, field.Invalid(path.Child("observedGeneration"), status.ObservedGeneration, "must be greater than or equal to 0"))
	}
	errs = append(errs, validateCounts(path, []replicaCount{
		{"replicas", status.Replicas}, {"updatedReplicas", status.UpdatedReplicas},
		{"readyReplicas", status.ReadyReplicas}, {"availableReplicas", status.AvailableReplicas},
	})...)
	if status.UnavailableReplicas < 0 {
		errs = append(errs, field.Invalid(path.Child("unavailableReplicas"), status.UnavailableReplicas, "must be greater than or equal to 0"))
	}
	if n := status.TerminatingReplicas; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(path.Child("terminatingReplicas"), *n, "must be greater than or equal to 0"))
	}
	if status.AvailableReplicas > status.ReadyReplicas {
		errs = append(errs, field.Invalid(path.Child("availableReplicas"), status.AvailableReplicas, "cannot be greater than readyReplicas"))
	}
	switch n, before := status.CollisionCount, old.Status.CollisionCount; {
	case n != nil && *n < 0:
		errs = append(errs, field.Invalid(path.Child("collisionCount"), *n, "must be greater than or equal to 0"))
	case before != nil && (n == nil || *n < *before):
		errs = append(errs, field.Invalid(path.Child("collisionCount"), n, "cannot be decremented"))
	}
	return errs
}

// Columns are what kubectl get shows of deployments.
func (DeploymentStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Ready", Type: "string", Description: "How many of the wanted pods are ready."},
		{Name: "Up-to-date", Type: "integer", Description: "How many pods are of the newest template."},
		{Name: "Available", Type: "integer", Description: "How many pods have been ready for long enough."},
		{Name: "Age", Type: "date", Description: "The time since the deployment was created."},
		{Name: "Containers", Type: "string", Priority: 1, Description: "The names of the containers in the template."},
		{Name: "Images", Type: "string", Priority: 1, Description: "Their images."},
		{Name: "Selector", Type: "string", Priority: 1, Description: "The labels by which it finds its pods."},
	}
}

// Cells fills the columns for one deployment.
func (DeploymentStrategy) Cells(d *appsv1.Deployment) []any {
	var desired int32
	if d.Spec.Replicas != nil {
		desired = *d.Spec.Replicas
	}
	names, images := containersOf(&d.Spec.Template)
	return []any{
		fmt.Sprintf("%d/%d", d.Status.ReadyReplicas, desired), int64(d.Status.UpdatedReplicas), int64(d.Status.AvailableReplicas), d.CreationTimestamp,
		names, images, metav1.FormatLabelSelector(d.Spec.Selector),
	}
}
