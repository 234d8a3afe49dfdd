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

// SetDefaults_PersistentVolumeSpec is a file system, which is kept when nobody claims it any more.
func SetDefaults_PersistentVolumeSpec(in *corev1.PersistentVolumeSpec) {
	if in.PersistentVolumeReclaimPolicy == "" {
		in.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
	}
	setDefault(&in.VolumeMode, corev1.PersistentVolumeFilesystem)
}

// SetDefaults_PersistentVolumeStatus: somebody has to look at it first.
func SetDefaults_PersistentVolumeStatus(in *corev1.PersistentVolumeStatus) {
	if in.Phase == "" {
		in.Phase = corev1.VolumePending
	}
}
