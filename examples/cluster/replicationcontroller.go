package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
)

// ReplicationControllerStrategy holds the rules of replication controllers, and their columns.
type ReplicationControllerStrategy struct{ strategy.ReplicationController }

// ValidateName: what it makes is called after it, with a suffix, and pods are DNS subdomains.
func (ReplicationControllerStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSSubdomain(name, prefix)
}

// Validate says what is wrong with a new or changed replication controller. One that would not
// select the pods that it makes would make pods for ever.
func (ReplicationControllerStrategy) Validate(_ context.Context, rc *corev1.ReplicationController) field.ErrorList {
	var errs field.ErrorList
	spec := field.NewPath("spec")
	if n := rc.Spec.Replicas; n != nil && *n < 0 {
		errs = append(errs, field.Invalid(spec.Child("replicas"), *n, "must be greater than or equal to 0"))
	}
	if rc.Spec.MinReadySeconds < 0 {
		errs = append(errs, field.Invalid(spec.Child("minReadySeconds"), rc.Spec.MinReadySeconds, "must be greater than or equal to 0"))
	}
	if len(rc.Spec.Selector) == 0 {
		errs = append(errs, field.Required(spec.Child("selector"), ""))
	}
	template := spec.Child("template")
	if rc.Spec.Template == nil {
		return append(errs, field.Required(template, ""))
	}
	return append(errs, validateTemplate(rc.Spec.Template, labels.SelectorFromSet(rc.Spec.Selector), "ReplicationController", template)...)
}

// ValidateStatusUpdate says what is wrong with a changed status.
func (ReplicationControllerStrategy) ValidateStatusUpdate(_ context.Context, rc, _ *corev1.ReplicationController) field.ErrorList {
	status, path := &rc.Status, field.NewPath("status")
	errs := validateCounts(path, []replicaCount{
		{"replicas", status.Replicas}, {"fullyLabeledReplicas", status.FullyLabeledReplicas},
		{"readyReplicas", status.ReadyReplicas}, {"availableReplicas", status.AvailableReplicas},
	})
	if status.AvailableReplicas > status.ReadyReplicas {
		errs = append(errs, field.Invalid(path.Child("availableReplicas"), status.AvailableReplicas, "cannot be greater than readyReplicas"))
	}
	return append(errs, atLeast(path.Child("observedGeneration"), status.ObservedGeneration, 0)...)
}

// Columns are what kubectl get shows of replication controllers.
func (ReplicationControllerStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Desired", Type: "integer", Description: "How many pods there should be."},
		{Name: "Current", Type: "integer", Description: "How many there are."},
		{Name: "Ready", Type: "integer", Description: "How many of them are ready."},
		{Name: "Age", Type: "date", Description: "The time since the replication controller was created."},
		{Name: "Containers", Type: "string", Priority: 1, Description: "The names of the containers in the template."},
		{Name: "Images", Type: "string", Priority: 1, Description: "Their images."},
		{Name: "Selector", Type: "string", Priority: 1, Description: "The labels by which it finds its pods."},
	}
}

// Cells fills the columns for one replication controller.
func (ReplicationControllerStrategy) Cells(rc *corev1.ReplicationController) []any {
	var desired int64
	if rc.Spec.Replicas != nil {
		desired = int64(*rc.Spec.Replicas)
	}
	var names, images string
	if rc.Spec.Template != nil {
		names, images = containersOf(rc.Spec.Template)
	}
	return []any{
		desired, int64(rc.Status.Replicas), int64(rc.Status.ReadyReplicas), rc.CreationTimestamp,
		names, images, orNone(labels.Set(rc.Spec.Selector).String()),
	}
}
