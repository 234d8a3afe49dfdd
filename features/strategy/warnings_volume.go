package strategy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// goneVolumes are sorts of volumes that nodes can't mount any more, by the field that says so.
var goneVolumes = map[string]string{
	"cephfs":               "deprecated in v1.28, non-functional in v1.31+",
	"flocker":              "deprecated in v1.22, non-functional in v1.25+",
	"gitRepo":              "deprecated in v1.11, and disabled by default in v1.33+",
	"glusterfs":            "deprecated in v1.25, non-functional in v1.26+",
	"photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
	"quobyte":              "deprecated in v1.22, non-functional in v1.25+",
	"rbd":                  "deprecated in v1.28, non-functional in v1.31+",
	"scaleIO":              "deprecated in v1.16, non-functional in v1.22+",
	"storageOS":            "deprecated in v1.22, non-functional in v1.25+",
}

// volumes looks at the volumes of a pod.
func (w *Warnings) volumes(at root, volumes []corev1.Volume) {
	for i := range volumes {
		v := &volumes[i]
		if gone := goneVolume(&v.VolumeSource); gone != "" {
			w.Add("%sspec.volumes[%d].%s: %s", at, i, gone, goneVolumes[gone])
		}
		if v.Ephemeral != nil && v.Ephemeral.VolumeClaimTemplate != nil {
			w.Claim(&v.Ephemeral.VolumeClaimTemplate.Spec, "%sspec.volumes[%d].ephemeral.volumeClaimTemplate.spec", at, i)
		}
		w.files(v)
	}
}

// goneVolume is the field of a volume that is of a sort which is gone; "" for others.
func goneVolume(v *corev1.VolumeSource) string {
	switch {
	case v.CephFS != nil:
		return "cephfs"
	case v.Flocker != nil:
		return "flocker"
	case v.GitRepo != nil:
		return "gitRepo"
	case v.Glusterfs != nil:
		return "glusterfs"
	case v.PhotonPersistentDisk != nil:
		return "photonPersistentDisk"
	case v.Quobyte != nil:
		return "quobyte"
	case v.RBD != nil:
		return "rbd"
	case v.ScaleIO != nil:
		return "scaleIO"
	case v.StorageOS != nil:
		return "storageOS"
	}
	return ""
}

// Claim looks at what a claim of a volume asks for.
func (w *Warnings) Claim(spec *corev1.PersistentVolumeClaimSpec, place string, args ...any) {
	w.bytesOf(spec.Resources.Requests, func() string { return fmt.Sprintf(place+".resources.requests", args...) }, corev1.ResourceStorage)
	w.bytesOf(spec.Resources.Limits, func() string { return fmt.Sprintf(place+".resources.limits", args...) }, corev1.ResourceStorage)
}

const classInAnnotation = `metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead`

func claimWarnings(claim *corev1.PersistentVolumeClaim) []string {
	var w Warnings
	if _, ok := claim.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		w.Add(classInAnnotation)
	}
	w.Claim(&claim.Spec, "spec")
	return w.Texts()
}

func volumeWarnings(volume *corev1.PersistentVolume) []string {
	var w Warnings
	if _, ok := volume.Annotations[corev1.BetaStorageClassAnnotation]; ok {
		w.Add(classInAnnotation)
	}
	if _, ok := volume.Annotations[corev1.MountOptionAnnotation]; ok {
		w.Add(`metadata.annotations[%s]: deprecated since v1.31; use "mountOptions" attribute instead`, corev1.MountOptionAnnotation)
	}
	if volume.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimRecycle {
		w.Add("spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.")
	}
	if nodes := volume.Spec.NodeAffinity; nodes != nil && nodes.Required != nil {
		for i := range nodes.Required.NodeSelectorTerms {
			w.nodeTerm(&nodes.Required.NodeSelectorTerms[i], func() string { return fmt.Sprintf("spec.nodeAffinity.required.nodeSelectorTerms[%d]", i) })
		}
	}
	if gone := gonePersistentVolume(&volume.Spec.PersistentVolumeSource); gone != "" {
		w.Add("spec.%s: %s", gone, goneVolumes[gone])
	}
	return w.Texts()
}

// gonePersistentVolume is goneVolume for a volume that outlives pods. Of flocker and quobyte a
// kube-apiserver says nothing here.
func gonePersistentVolume(v *corev1.PersistentVolumeSource) string {
	switch {
	case v.CephFS != nil:
		return "cephfs"
	case v.Glusterfs != nil:
		return "glusterfs"
	case v.PhotonPersistentDisk != nil:
		return "photonPersistentDisk"
	case v.RBD != nil:
		return "rbd"
	case v.ScaleIO != nil:
		return "scaleIO"
	case v.StorageOS != nil:
		return "storageOS"
	}
	return ""
}
