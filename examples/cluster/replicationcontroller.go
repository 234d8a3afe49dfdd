package main

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ReplicationControllerStrategy holds the rules of replication controllers, and their columns.
type ReplicationControllerStrategy struct{}

// ValidateName: what it makes is called after it, with a suffix, and pods are DNS subdomains.
func (ReplicationControllerStrategy) ValidateName(name string, prefix bool) []string {
	return validation.NameIsDNSSubdomain(name, prefix)
}

// Validate says what is wrong with a new or changed replication controller. One that would not select the pods that it
// makes would make pods for ever.
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
	metadata := template.Child("metadata", "labels")
	errs = append(errs, metav1validation.ValidateLabels(rc.Spec.Template.Labels, metadata)...)
	if !labels.SelectorFromSet(rc.Spec.Selector).Matches(labels.Set(rc.Spec.Template.Labels)) {
		errs = append(errs, field.Invalid(metadata, rc.Spec.Template.Labels, "`selector` does not match template `labels`"))
	}
	pod := template.Child("spec")
	errs = append(errs, validatePodSpec(&rc.Spec.Template.Spec, pod)...)
	if p := rc.Spec.Template.Spec.RestartPolicy; p != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(pod.Child("restartPolicy"), p, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	return errs
}

// ValidateStatusUpdate says what is wrong with a changed status.
func (ReplicationControllerStrategy) ValidateStatusUpdate(_ context.Context, rc, _ *corev1.ReplicationController) field.ErrorList {
	var errs field.ErrorList
	status := field.NewPath("status")
	for _, n := range []struct {
		name  string
		value int32
	}{
		{"replicas", rc.Status.Replicas},
		{"fullyLabeledReplicas", rc.Status.FullyLabeledReplicas},
		{"readyReplicas", rc.Status.ReadyReplicas},
		{"availableReplicas", rc.Status.AvailableReplicas},
	} {
		switch {
		case n.value < 0:
			errs = append(errs, field.Invalid(status.Child(n.name), n.value, "must be greater than or equal to 0"))
		case n.value > rc.Status.Replicas:
			errs = append(errs, field.Invalid(status.Child(n.name), n.value, "cannot be greater than status.replicas"))
		}
	}
	return errs
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
	var names, images []string
	if rc.Spec.Template != nil {
		for _, c := range rc.Spec.Template.Spec.Containers {
			names, images = append(names, c.Name), append(images, c.Image)
		}
	}
	return []any{
		desired, int64(rc.Status.Replicas), int64(rc.Status.ReadyReplicas), rc.CreationTimestamp,
		strings.Join(names, ","), strings.Join(images, ","), orNone(labels.Set(rc.Spec.Selector).String()),
	}
}
