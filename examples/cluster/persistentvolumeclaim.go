package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// PersistentVolumeClaimStrategy holds the rules of claims, and their columns. Nobody here finds
// volumes for them.
type PersistentVolumeClaimStrategy struct {
	strategy.PersistentVolumeClaim
}

// Validate says what is wrong with a claim.
func (PersistentVolumeClaimStrategy) Validate(_ context.Context, claim *corev1.PersistentVolumeClaim) field.ErrorList {
	return validateClaimSpec(&claim.Spec, field.NewPath("spec"))
}

// validateClaimSpec says what is wrong with a claim, or with a template of claims.
func validateClaimSpec(spec *corev1.PersistentVolumeClaimSpec, path *field.Path) field.ErrorList {
	errs := validateAccessModes(path.Child("accessModes"), spec.AccessModes, "at least 1 access mode is required")
	if spec.Selector != nil {
		errs = append(errs, metav1validation.ValidateLabelSelector(spec.Selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("selector"))...)
	}
	size := path.Child("resources").Key(string(corev1.ResourceStorage))
	if q, ok := spec.Resources.Requests[corev1.ResourceStorage]; ok {
		errs = append(errs, validateSize(size, q)...)
	} else {
		errs = append(errs, field.Required(size, ""))
	}
	errs = append(errs, validateClass(path.Child("storageClassName"), textOr(spec.StorageClassName, ""))...)
	errs = append(errs, validateVolumeMode(path.Child("volumeMode"), spec.VolumeMode)...)
	errs = append(errs, validateClass(path.Child("volumeAttributesClassName"), textOr(spec.VolumeAttributesClassName, ""))...)
	return append(errs, validateSource(spec, path)...)
}

// validateSource judges where the first data of a volume come from.
func validateSource(spec *corev1.PersistentVolumeClaimSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	judge := func(path *field.Path, group *string, kind, name string) {
		if name == "" {
			errs = append(errs, field.Required(path.Child("name"), ""))
		}
		if kind == "" {
			errs = append(errs, field.Required(path.Child("kind"), ""))
		}
		switch group := textOr(group, ""); {
		case group == "" && kind != "PersistentVolumeClaim":
			errs = append(errs, field.Invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"))
		case group != "":
			errs = append(errs, invalid(path.Child("apiGroup"), group, validation.IsDNS1123Subdomain(group))...)
		}
	}
	old, ref := spec.DataSource, spec.DataSourceRef
	if old != nil {
		judge(path.Child("dataSource"), old.APIGroup, old.Kind, old.Name)
	}
	if ref != nil {
		judge(path.Child("dataSourceRef"), ref.APIGroup, ref.Kind, ref.Name)
	}
	switch {
	case old == nil || ref == nil:
	case textOr(ref.Namespace, "") != "":
		errs = append(errs, field.Invalid(path, "", "may not specify dataSource when dataSourceRef.namespace is specified"))
	case textOr(old.APIGroup, "") != textOr(ref.APIGroup, "") || old.Kind != ref.Kind || old.Name != ref.Name:
		errs = append(errs, field.Invalid(path, "", "must match dataSourceRef"))
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed claim. It is a contract: once there is a volume
// for it, it may only grow.
func (s PersistentVolumeClaimStrategy) ValidateUpdate(ctx context.Context, claim, old *corev1.PersistentVolumeClaim) field.ErrorList {
	errs := s.Validate(ctx, claim)
	if was, is := old.Annotations[corev1.BetaStorageClassAnnotation], claim.Annotations[corev1.BetaStorageClassAnnotation]; was != is {
		errs = append(errs, field.Invalid(field.NewPath("metadata", "annotations").Key(corev1.BetaStorageClassAnnotation), is, "field is immutable"))
	}

	// What may be changed is put back; then nothing else may differ.
	rest, path := claim.Spec.DeepCopy(), field.NewPath("spec")
	if old.Spec.VolumeName == "" {
		rest.VolumeName = "" // whoever binds the claim sets it, once
	}
	_, classByAnnotation := old.Annotations[corev1.BetaStorageClassAnnotation]
	if old.Spec.StorageClassName == nil && !classByAnnotation {
		rest.StorageClassName = nil // a default that came later
	}
	size, before := claim.Spec.Resources.Requests[corev1.ResourceStorage], old.Spec.Resources.Requests[corev1.ResourceStorage]
	if claim.Status.Phase == corev1.ClaimBound {
		if rest.Resources.Requests != nil {
			rest.Resources.Requests[corev1.ResourceStorage] = before
		}
		rest.VolumeAttributesClassName = old.Spec.VolumeAttributesClassName
	}
	if !semantic.Equal(rest, &old.Spec) {
		errs = append(errs, field.Forbidden(path, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"))
	}
	// One that asked for more than there is may ask for less again, but volumes do not shrink.
	if has := old.Status.Capacity[corev1.ResourceStorage]; size.Cmp(before) < 0 && size.Cmp(has) <= 0 {
		errs = append(errs, field.Forbidden(path.Child("resources", "requests", "storage"), "field can not be less than status.capacity"))
	}
	if textOr(old.Spec.VolumeAttributesClassName, "") != "" && textOr(claim.Spec.VolumeAttributesClassName, "") == "" {
		errs = append(errs, field.Forbidden(path.Child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
	}
	return errs
}

// ValidateStatusUpdate says what is wrong with what a claim has got.
func (PersistentVolumeClaimStrategy) ValidateStatusUpdate(_ context.Context, claim, _ *corev1.PersistentVolumeClaim) field.ErrorList {
	status := field.NewPath("status")
	return append(validateAmounts(status.Child("capacity"), claim.Status.Capacity), validateAmounts(status.Child("allocatedResources"), claim.Status.AllocatedResources)...)
}

// Columns are what kubectl get shows of claims.
func (PersistentVolumeClaimStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Status", Type: "string", Description: "Whether the claim has a volume."},
		{Name: "Volume", Type: "string", Description: "The volume."},
		{Name: "Capacity", Type: "string", Description: "How much there is."},
		{Name: "Access Modes", Type: "string", Description: "How the volume can be used."},
		{Name: "StorageClass", Type: "string", Description: "The class of the claim."},
		{Name: "VolumeAttributesClass", Type: "string", Description: "The class of what can be changed of the volume."},
		{Name: "Age", Type: "date", Description: "The time since the claim was created."},
		{Name: "VolumeMode", Type: "string", Priority: 1, Description: "Whether it wants a file system or a block device."},
	}
}

// Cells fills the columns for one claim.
func (PersistentVolumeClaimStrategy) Cells(claim *corev1.PersistentVolumeClaim) []any {
	phase := string(claim.Status.Phase)
	if claim.DeletionTimestamp != nil {
		phase = terminating
	}
	capacity, modes := "", ""
	if claim.Spec.VolumeName != "" {
		q := claim.Status.Capacity[corev1.ResourceStorage]
		capacity, modes = q.String(), shortModes(claim.Status.AccessModes)
	}
	return []any{
		phase, claim.Spec.VolumeName, capacity, modes, classOf(claim.Annotations, claim.Spec.StorageClassName),
		textOr(claim.Spec.VolumeAttributesClassName, unset), claim.CreationTimestamp, textOr(claim.Spec.VolumeMode, unset),
	}
}
