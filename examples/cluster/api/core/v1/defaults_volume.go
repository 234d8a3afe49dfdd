package v1

import corev1 "k8s.io/api/core/v1"

// SetDefaults_PersistentVolumeClaimSpec wants a file system.
func SetDefaults_PersistentVolumeClaimSpec(in *corev1.PersistentVolumeClaimSpec) {
	setDefault(&in.VolumeMode, corev1.PersistentVolumeFilesystem)
}

// SetDefaults_PersistentVolumeClaimStatus: somebody has to find a volume first.
func SetDefaults_PersistentVolumeClaimStatus(in *corev1.PersistentVolumeClaimStatus) {
	if in.Phase == "" {
		in.Phase = corev1.ClaimPending
	}
}

// SetDefaults_PersistentVolume is a file system, which is kept when nobody claims it any more.
// Somebody has to look at it first. A volume within an attachment has no such defaults.
func SetDefaults_PersistentVolume(in *corev1.PersistentVolume) {
	if in.Spec.PersistentVolumeReclaimPolicy == "" {
		in.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	}
	setDefault(&in.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	if in.Status.Phase == "" {
		in.Status.Phase = corev1.VolumePending
	}
}
