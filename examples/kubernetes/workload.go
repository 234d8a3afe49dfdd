package kubernetes

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// The strategies of the kinds that keep pods. What one selects stays the same for as long as it
// lives: pods that it no longer found would be left to themselves.
type (
	DeploymentStrategy  struct{ strategy.Deployment }
	ReplicaSetStrategy  struct{ strategy.WithMetadata }
	DaemonSetStrategy   struct{ strategy.WithMetadata }
	StatefulSetStrategy struct{ strategy.WithMetadata }
)

var specPath = field.NewPath("spec")

// Validate says what is wrong with a deployment.
func (DeploymentStrategy) Validate(_ context.Context, d *appsv1.Deployment) field.ErrorList {
	return append(validateSelection(d.Spec.Selector, &d.Spec.Template), validateCount(d.Spec.Replicas, specPath.Child("replicas"))...)
}

// ValidateUpdate says what is wrong with a changed one.
func (s DeploymentStrategy) ValidateUpdate(ctx context.Context, d, old *appsv1.Deployment) field.ErrorList {
	return append(s.Validate(ctx, d), fixed(specPath.Child("selector"), d.Spec.Selector, old.Spec.Selector)...)
}

// Validate says what is wrong with a replica set.
func (ReplicaSetStrategy) Validate(_ context.Context, rs *appsv1.ReplicaSet) field.ErrorList {
	return append(validateSelection(rs.Spec.Selector, &rs.Spec.Template), validateCount(rs.Spec.Replicas, specPath.Child("replicas"))...)
}

// ValidateUpdate says what is wrong with a changed one.
func (s ReplicaSetStrategy) ValidateUpdate(ctx context.Context, rs, old *appsv1.ReplicaSet) field.ErrorList {
	return append(s.Validate(ctx, rs), fixed(specPath.Child("selector"), rs.Spec.Selector, old.Spec.Selector)...)
}

// PrepareForCreate begins to count the templates of a daemon set, where its author does. Its
// controller labels pods with the count.
func (DaemonSetStrategy) PrepareForCreate(_ context.Context, ds *appsv1.DaemonSet) {
	setTemplateGeneration(ds, max(1, templateGeneration(ds)))
}

// PrepareForUpdate counts one more if the template is another one.
func (DaemonSetStrategy) PrepareForUpdate(_ context.Context, ds, old *appsv1.DaemonSet) {
	count := templateGeneration(old)
	if !semantic.Equal(&ds.Spec.Template, &old.Spec.Template) {
		count++
	}
	setTemplateGeneration(ds, count)
}

// PrepareForStatusUpdate keeps the count, which is in an annotation.
func (DaemonSetStrategy) PrepareForStatusUpdate(_ context.Context, ds, old *appsv1.DaemonSet) {
	setTemplateGeneration(ds, templateGeneration(old))
}

// templateGeneration is 0 for a daemon set of long ago, which has no count.
func templateGeneration(ds *appsv1.DaemonSet) int64 {
	count, err := strconv.ParseInt(ds.Annotations[appsv1.DeprecatedTemplateGeneration], 10, 64)
	if err != nil {
		return 0
	}
	return count
}

func setTemplateGeneration(ds *appsv1.DaemonSet, count int64) {
	metav1.SetMetaDataAnnotation(&ds.ObjectMeta, appsv1.DeprecatedTemplateGeneration, strconv.FormatInt(count, 10))
}

// Validate says what is wrong with a daemon set.
func (DaemonSetStrategy) Validate(_ context.Context, ds *appsv1.DaemonSet) field.ErrorList {
	return validateSelection(ds.Spec.Selector, &ds.Spec.Template)
}

// ValidateUpdate says what is wrong with a changed one.
func (s DaemonSetStrategy) ValidateUpdate(ctx context.Context, ds, old *appsv1.DaemonSet) field.ErrorList {
	return append(s.Validate(ctx, ds), fixed(specPath.Child("selector"), ds.Spec.Selector, old.Spec.Selector)...)
}

// Validate says what is wrong with a stateful set.
func (StatefulSetStrategy) Validate(_ context.Context, set *appsv1.StatefulSet) field.ErrorList {
	return append(validateSelection(set.Spec.Selector, &set.Spec.Template), validateCount(set.Spec.Replicas, specPath.Child("replicas"))...)
}

// ValidateUpdate says what is wrong with a changed one: pods and volumes keep their names.
func (s StatefulSetStrategy) ValidateUpdate(ctx context.Context, set, old *appsv1.StatefulSet) field.ErrorList {
	errs := s.Validate(ctx, set)
	rest, was := set.Spec.DeepCopy(), &old.Spec
	rest.Replicas, rest.Ordinals, rest.Template, rest.UpdateStrategy = was.Replicas, was.Ordinals, was.Template, was.UpdateStrategy
	rest.PersistentVolumeClaimRetentionPolicy, rest.MinReadySeconds, rest.RevisionHistoryLimit = was.PersistentVolumeClaimRetentionPolicy, was.MinReadySeconds, was.RevisionHistoryLimit
	if !semantic.Equal(rest, was) {
		errs = append(errs, field.Forbidden(specPath, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', "+
			"'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden"))
	}
	return errs
}

// Validate validates the template of a replication controller.
func (ReplicationControllerStrategy) Validate(_ context.Context, rc *corev1.ReplicationController) field.ErrorList {
	if rc.Spec.Template == nil {
		return nil
	}
	return validatePodSpec(&rc.Spec.Template.Spec, specPath.Child("template", "spec"))
}

// Validate validates a template of pods.
func (PodTemplateStrategy) Validate(_ context.Context, t *corev1.PodTemplate) field.ErrorList {
	return validatePodSpec(&t.Template.Spec, field.NewPath("template", "spec"))
}

// validateSelection: a selector has to find the pods of the template, or they would be made without
// end.
func validateSelection(selector *metav1.LabelSelector, template *corev1.PodTemplateSpec) field.ErrorList {
	at := specPath.Child("selector")
	if selector == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, at)
	if len(selector.MatchLabels)+len(selector.MatchExpressions) == 0 {
		errs = append(errs, field.Invalid(at, selector, "empty selector is invalid"))
	}
	if finds, err := metav1.LabelSelectorAsSelector(selector); err == nil && !finds.Matches(labels.Set(template.Labels)) {
		errs = append(errs, field.Invalid(specPath.Child("template", "metadata", "labels"), template.Labels, "`selector` does not match template `labels`"))
	}
	return append(errs, validatePodSpec(&template.Spec, specPath.Child("template", "spec"))...)
}

func validateCount(n *int32, at *field.Path) field.ErrorList {
	if n == nil || *n >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(at, *n, "must be greater than or equal to 0")}
}

// fixed judges a field that stays as it is.
func fixed(at *field.Path, value, old any) field.ErrorList {
	if semantic.Equal(value, old) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, value, "field is immutable")}
}
