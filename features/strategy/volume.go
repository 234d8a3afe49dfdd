package strategy

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PersistentVolume is part of the strategy of volumes.
type PersistentVolume struct {
	Uncounted
	WithMetadata
}

// PrepareForCreate: a new volume waits for a claim.
func (PersistentVolume) PrepareForCreate(_ context.Context, volume *corev1.PersistentVolume) {
	volume.Status = corev1.PersistentVolumeStatus{Phase: corev1.VolumePending, LastPhaseTransitionTime: new(metav1.Now().Rfc3339Copy())}
}

// PrepareForStatusUpdate says since when a volume is in its phase, unless the client does.
func (PersistentVolume) PrepareForStatusUpdate(_ context.Context, volume, old *corev1.PersistentVolume) {
	is, was := &volume.Status, &old.Status
	switch said := is.LastPhaseTransitionTime; {
	case is.Phase == was.Phase && said == nil:
		is.LastPhaseTransitionTime = was.LastPhaseTransitionTime.DeepCopy()
	case is.Phase != was.Phase && (said == nil || said.Equal(was.LastPhaseTransitionTime)):
		is.LastPhaseTransitionTime = new(metav1.Now().Rfc3339Copy())
	}
}

// WarningsOnCreate say what is odd about a new volume.
func (PersistentVolume) WarningsOnCreate(_ context.Context, volume *corev1.PersistentVolume) []string {
	return volumeWarnings(volume)
}

// WarningsOnUpdate are the same.
func (PersistentVolume) WarningsOnUpdate(_ context.Context, volume, _ *corev1.PersistentVolume) []string {
	return volumeWarnings(volume)
}

// PersistentVolumeClaim is part of the strategy of claims.
type PersistentVolumeClaim struct {
	Uncounted
	WithMetadata
}

// PrepareForCreate writes where the data come from in both fields that say so: clients of different
// ages read different ones. The older field is for claims and snapshots alone. By itself it is
// ignored if it names something else.
func (PersistentVolumeClaim) PrepareForCreate(_ context.Context, claim *corev1.PersistentVolumeClaim) {
	sameSources(&claim.Spec, nil)
}

// PrepareForUpdate does so again, since a client that knows only one of the fields leaves out the
// other. What the claim has as its source stays.
func (PersistentVolumeClaim) PrepareForUpdate(_ context.Context, claim, old *corev1.PersistentVolumeClaim) {
	sameSources(&claim.Spec, &old.Spec)
}

// WarningsOnCreate say what is odd about a new claim.
func (PersistentVolumeClaim) WarningsOnCreate(_ context.Context, claim *corev1.PersistentVolumeClaim) []string {
	return claimWarnings(claim)
}

// WarningsOnUpdate are the same.
func (PersistentVolumeClaim) WarningsOnUpdate(_ context.Context, claim, _ *corev1.PersistentVolumeClaim) []string {
	return claimWarnings(claim)
}

// sameSources lets the two fields say the same. old is nil for a new claim.
func sameSources(spec, old *corev1.PersistentVolumeClaimSpec) {
	has := old != nil && (old.DataSource != nil || old.DataSourceRef != nil)
	if spec.DataSource != nil && spec.DataSourceRef == nil && !has && !isSource(spec.DataSource) {
		spec.DataSource = nil
	}
	switch older, newer := spec.DataSource, spec.DataSourceRef; {
	case older != nil && newer == nil:
		spec.DataSourceRef = &corev1.TypedObjectReference{APIGroup: copied(older.APIGroup), Kind: older.Kind, Name: older.Name}
	case older == nil && newer != nil && (newer.Namespace == nil || *newer.Namespace == ""):
		spec.DataSource = &corev1.TypedLocalObjectReference{APIGroup: copied(newer.APIGroup), Kind: newer.Kind, Name: newer.Name}
	}
}

func isSource(ref *corev1.TypedLocalObjectReference) bool {
	switch group := ref.APIGroup; {
	case group == nil || *group == "":
		return ref.Kind == "PersistentVolumeClaim"
	default:
		return *group == "snapshot.storage.k8s.io" && ref.Kind == "VolumeSnapshot"
	}
}

func copied(s *string) *string {
	if s == nil {
		return nil
	}
	return new(*s)
}
