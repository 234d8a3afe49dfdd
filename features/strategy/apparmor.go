package strategy

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/semantic"
)

// AppArmorPrefix begins annotations that say the profile of a container, as its field does now.
// Behind it is the name of the container.
const AppArmorPrefix = "container.apparmor.security.beta.kubernetes.io/"

// eachAppArmor visits the containers of which an annotation says the profile. key is that of the
// annotation; profile is nil if it names none.
func eachAppArmor(meta *metav1.ObjectMeta, spec *corev1.PodSpec, visit func(c *corev1.Container, key string, profile *corev1.AppArmorProfile)) {
	if !hasPrefix(meta.Annotations, AppArmorPrefix) {
		return
	}
	eachContainer(spec, func(_ slot, c *corev1.Container) {
		key := AppArmorPrefix + c.Name
		if annotation, ok := meta.Annotations[key]; ok {
			visit(c, key, appArmorProfile(annotation))
		}
	})
}

// copyAppArmor gives containers the profiles that annotations name, since nodes read the fields
// alone. A profile in the field of a container stays, and that of its pod need not be said again.
// So does applyAppArmorVersionSkew in pkg/registry/core/pod of Kubernetes.
func copyAppArmor(pod *corev1.Pod) {
	if onWindows(&pod.Spec) {
		return
	}
	ofPod := appArmorOfPod(&pod.Spec)
	eachAppArmor(&pod.ObjectMeta, &pod.Spec, func(c *corev1.Container, _ string, profile *corev1.AppArmorProfile) {
		if profile == nil || ownAppArmor(c) != nil || semantic.Equal(profile, ofPod) {
			return
		}
		if c.SecurityContext == nil {
			c.SecurityContext = &corev1.SecurityContext{}
		}
		c.SecurityContext.AppArmorProfile = profile
	})
}

// copiedAppArmor warns of annotations that name no profile, and of those that were copied into a
// field. Who says the same in both is warned, too: it can't be told any more what was sent.
func (w *Warnings) copiedAppArmor(pod *corev1.Pod) {
	if onWindows(&pod.Spec) {
		return
	}
	ofPod := appArmorOfPod(&pod.Spec)
	eachAppArmor(&pod.ObjectMeta, &pod.Spec, func(c *corev1.Container, key string, profile *corev1.AppArmorProfile) {
		own := ownAppArmor(c)
		if semantic.Equal(own, profile) && (own == nil || !semantic.Equal(own, ofPod)) {
			w.oldAppArmor("", key)
		}
	})
}

// appArmor looks for profiles in the annotations of a template, where neither the container nor the
// pod says the same in a field.
func (w *Warnings) appArmor(at root, meta *metav1.ObjectMeta, spec *corev1.PodSpec) {
	ofPod := appArmorOfPod(spec)
	eachAppArmor(meta, spec, func(c *corev1.Container, key string, profile *corev1.AppArmorProfile) {
		if ownAppArmor(c) == nil && (ofPod == nil || !semantic.Equal(ofPod, profile)) {
			w.oldAppArmor(at, key)
		}
	})
}

func (w *Warnings) oldAppArmor(at root, key string) {
	w.Add(`%smetadata.annotations[%s]: deprecated since v1.30; use the "appArmorProfile" field instead`, at, key)
}

// appArmorProfile is the profile that an annotation names, nil if it names none that a field may
// have.
func appArmorProfile(annotation string) *corev1.AppArmorProfile {
	const longest = 4095 // a path of Linux
	local, isLocal := strings.CutPrefix(annotation, "localhost/")
	switch {
	case annotation == "unconfined":
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined}
	case annotation == "runtime/default":
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}
	case isLocal && local != "" && local == strings.TrimSpace(local) && len(local) <= longest:
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: &local}
	}
	return nil
}

func ownAppArmor(c *corev1.Container) *corev1.AppArmorProfile {
	if c.SecurityContext == nil {
		return nil
	}
	return c.SecurityContext.AppArmorProfile
}

func appArmorOfPod(spec *corev1.PodSpec) *corev1.AppArmorProfile {
	if spec.SecurityContext == nil {
		return nil
	}
	return spec.SecurityContext.AppArmorProfile
}

func onWindows(spec *corev1.PodSpec) bool { return spec.OS != nil && spec.OS.Name == corev1.Windows }
