package main

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateTemplate says what is wrong with a template from which somebody, of the kind that owner
// says, makes pods without end. One whose pods the selector does not find would be used again and
// again.
func validateTemplate(template *corev1.PodTemplateSpec, selector labels.Selector, owner string, path *field.Path) field.ErrorList {
	metadata := path.Child("metadata", "labels")
	errs := validation.ValidateAnnotations(template.Annotations, path.Child("annotations"))
	errs = append(errs, metav1validation.ValidateLabels(template.Labels, path.Child("labels"))...)
	if !selector.Empty() && !selector.Matches(labels.Set(template.Labels)) {
		errs = append(errs, field.Invalid(metadata, template.Labels, "`selector` does not match template `labels`"))
	}
	spec := path.Child("spec")
	errs = append(errs, validateAnnotations(template.Annotations, nil, &template.Spec, path.Child("annotations"))...)
	errs = append(errs, validatePodSpec(&template.Spec, nil, spec)...)
	errs = append(errs, validateProfiles(template.Annotations, &template.Spec, spec)...)
	if len(template.Spec.EphemeralContainers) > 0 {
		errs = append(errs, field.Forbidden(spec.Child("ephemeralContainers"), "ephemeral containers not allowed in pod template"))
	}
	if p := template.Spec.RestartPolicy; p != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(spec.Child("restartPolicy"), p, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if template.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(spec.Child("activeDeadlineSeconds"), "activeDeadlineSeconds in "+owner+" is not Supported"))
	}
	return errs
}

// containersOf are the names and the images of the containers in a template, as kubectl shows them.
func containersOf(template *corev1.PodTemplateSpec) (names, images string) {
	var allNames, allImages []string
	for _, c := range template.Spec.Containers {
		allNames, allImages = append(allNames, c.Name), append(allImages, c.Image)
	}
	return strings.Join(allNames, ","), strings.Join(allImages, ",")
}

// replicaCount is a number in a status, and what it is called there.
type replicaCount struct {
	name  string
	value int32
}

// validateCounts judges numbers of which none can be more than all, and all, which is first among
// them, itself.
func validateCounts(path *field.Path, counts []replicaCount) field.ErrorList {
	var errs field.ErrorList
	all := counts[0]
	for _, n := range counts {
		switch {
		case n.value < 0:
			errs = append(errs, field.Invalid(path.Child(n.name), n.value, "must be greater than or equal to 0"))
		case n.value > all.value:
			errs = append(errs, field.Invalid(path.Child(n.name), n.value, "cannot be greater than status."+all.name))
		}
	}
	return errs
}
