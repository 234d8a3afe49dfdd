package main

import (
	"context"
	posix "path"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// PersistentVolumeStrategy holds the rules of persistent volumes, and their columns. Where a volume
// lies is in persistentvolume_source.go.
type PersistentVolumeStrategy struct{ strategy.PersistentVolume }

// Validate says what is wrong with a volume.
func (PersistentVolumeStrategy) Validate(_ context.Context, pv *corev1.PersistentVolume) field.ErrorList {
	spec, at := &pv.Spec, field.NewPath("spec")
	errs := validateAccessModes(at.Child("accessModes"), spec.AccessModes, "")
	capacity := at.Child("capacity")
	if len(spec.Capacity) == 0 {
		errs = append(errs, field.Required(capacity, ""))
	}
	if _, ok := spec.Capacity[corev1.ResourceStorage]; !ok || len(spec.Capacity) > 1 {
		errs = append(errs, field.NotSupported(capacity, spec.Capacity, []corev1.ResourceName{corev1.ResourceStorage}))
	}
	for name, size := range spec.Capacity {
		errs = append(errs, validateSize(capacity.Key(string(name)), size)...)
	}
	policy := at.Child("persistentVolumeReclaimPolicy")
	errs = append(errs, oneOf(policy, spec.PersistentVolumeReclaimPolicy,
		corev1.PersistentVolumeReclaimDelete, corev1.PersistentVolumeReclaimRecycle, corev1.PersistentVolumeReclaimRetain)...)
	errs = append(errs, validateVolumeSource(spec, pv.Name, at)...)
	if p := spec.HostPath; p != nil && posix.Clean(p.Path) == "/" && spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle {
		errs = append(errs, field.Forbidden(policy, "may not be 'recycle' for a hostPath mount of '/'"))
	}
	errs = append(errs, validateClass(at.Child("storageClassName"), spec.StorageClassName)...)
	errs = append(errs, validateVolumeMode(at.Child("volumeMode"), spec.VolumeMode)...)
	if spec.VolumeAttributesClassName != nil && spec.CSI == nil {
		errs = append(errs, field.Required(at.Child("csi"), "has to be specified when using volumeAttributesClassName"))
	}
	if class, path := spec.VolumeAttributesClassName, at.Child("volumeAttributesClassName"); class != nil && *class == "" {
		errs = append(errs, field.Required(path, "an empty string is disallowed"))
	} else {
		errs = append(errs, validateClass(path, textOr(class, ""))...)
	}
	if affinity := spec.NodeAffinity; affinity != nil {
		errs = append(errs, required(at.Child("nodeAffinity"), part{"required", affinity.Required != nil})...)
		if affinity.Required != nil {
			errs = append(errs, validateNodeSelector(affinity.Required, at.Child("nodeAffinity", "required"))...)
		}
	}
	return errs
}

// ValidateUpdate says what is wrong with a changed volume: it does not move.
func (s PersistentVolumeStrategy) ValidateUpdate(ctx context.Context, pv, old *corev1.PersistentVolume) field.ErrorList {
	errs, at := s.Validate(ctx, pv), field.NewPath("spec")
	source := pv.Spec.PersistentVolumeSource.DeepCopy()
	if source.CSI != nil && old.Spec.CSI != nil && old.Spec.CSI.ControllerExpandSecretRef == nil {
		source.CSI.ControllerExpandSecretRef = nil // what is needed for it to grow may come later
	}
	if !semantic.Equal(source, &old.Spec.PersistentVolumeSource) {
		errs = append(errs, field.Forbidden(at.Child("persistentvolumesource"), "spec.persistentvolumesource is immutable after creation"))
	}
	if !semantic.Equal(pv.Spec.VolumeMode, old.Spec.VolumeMode) {
		errs = append(errs, field.Invalid(at.Child("volumeMode"), pv.Spec.VolumeMode, "field is immutable"))
	}
	if old.Spec.NodeAffinity != nil && !semantic.Equal(pv.Spec.NodeAffinity, old.Spec.NodeAffinity) {
		errs = append(errs, field.Invalid(at.Child("nodeAffinity"), pv.Spec.NodeAffinity, "field is immutable"))
	}
	if old.Spec.VolumeAttributesClassName != nil && pv.Spec.VolumeAttributesClassName == nil {
		errs = append(errs, field.Forbidden(at.Child("volumeAttributesClassName"), "update from non-nil value to nil is forbidden"))
	}
	return errs
}

// Columns are what kubectl get shows of volumes.
func (PersistentVolumeStrategy) Columns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{
		{Name: "Capacity", Type: "string", Description: "How much fits in."},
		{Name: "Access Modes", Type: "string", Description: "How it can be used."},
		{Name: "Reclaim Policy", Type: "string", Description: "What becomes of it when nobody claims it any more."},
		{Name: "Status", Type: "string", Description: "Whether it is somebody's."},
		{Name: "Claim", Type: "string", Description: "Whose it is."},
		{Name: "StorageClass", Type: "string", Description: "The class that it is of."},
		{Name: "VolumeAttributesClass", Type: "string", Description: "The class of what can be changed of it."},
		{Name: "Reason", Type: "string", Description: "Why it is in this status."},
		{Name: "Age", Type: "date", Description: "The time since the volume was created."},
		{Name: "VolumeMode", Type: "string", Priority: 1, Description: "Whether it is a file system or a block device."},
	}
}

// Cells fills the columns for one volume.
func (PersistentVolumeStrategy) Cells(pv *corev1.PersistentVolume) []any {
	phase, claim := string(pv.Status.Phase), ""
	if pv.DeletionTimestamp != nil {
		phase = terminating
	}
	if ref := pv.Spec.ClaimRef; ref != nil {
		claim = ref.Namespace + "/" + ref.Name
	}
	capacity := pv.Spec.Capacity[corev1.ResourceStorage]
	return []any{
		capacity.String(), shortModes(pv.Spec.AccessModes), string(pv.Spec.PersistentVolumeReclaimPolicy), phase, claim,
		classOf(pv.Annotations, &pv.Spec.StorageClassName), textOr(pv.Spec.VolumeAttributesClassName, unset), pv.Status.Reason, pv.CreationTimestamp,
		textOr(pv.Spec.VolumeMode, unset),
	}
}
