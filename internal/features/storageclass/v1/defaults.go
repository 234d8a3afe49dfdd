package v1

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// SetDefaults_StorageClass: volumes are made at once, and go with their claims.
func SetDefaults_StorageClass(in *storagev1.StorageClass) {
	if in.ReclaimPolicy == nil {
		in.ReclaimPolicy = new(corev1.PersistentVolumeReclaimDelete)
	}
	if in.VolumeBindingMode == nil {
		in.VolumeBindingMode = new(storagev1.VolumeBindingImmediate)
	}
}
