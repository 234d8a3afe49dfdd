package strategy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// slot is where a container is in a pod.
type slot struct {
	list  string
	index int
}

func (s slot) String() string { return fmt.Sprintf("spec.%s[%d]", s.list, s.index) }

// eachContainer visits the containers of a pod, of all sorts.
func eachContainer(spec *corev1.PodSpec, visit func(slot, *corev1.Container)) {
	for i := range spec.InitContainers {
		visit(slot{"initContainers", i}, &spec.InitContainers[i])
	}
	for i := range spec.Containers {
		visit(slot{"containers", i}, &spec.Containers[i])
	}
	for i := range spec.EphemeralContainers {
		visit(slot{"ephemeralContainers", i}, (*corev1.Container)(&spec.EphemeralContainers[i].EphemeralContainerCommon))
	}
}

// container looks at what a container says of itself.
func (w *Warnings) container(at root, in slot, c *corev1.Container) {
	w.bytesOf(c.Resources.Limits, func() string { return at.String() + in.String() + ".resources.limits" }, corev1.ResourceMemory, corev1.ResourceEphemeralStorage)
	w.bytesOf(c.Resources.Requests, func() string { return at.String() + in.String() + ".resources.requests" }, corev1.ResourceMemory, corev1.ResourceEphemeralStorage)
	eachRepeated(c.Env, func(e *corev1.EnvVar) string { return e.Name }, func(i int) {
		if !extends(&c.Env[i]) {
			w.Add("%s%s.env[%d]: hides previous definition of %q, which may be dropped when using apply", at, in, i, c.Env[i].Name)
		}
	})
}

// extends says whether a variable adds something to what it was before.
func extends(e *corev1.EnvVar) bool {
	before := "$(" + e.Name + ")"
	return e.ValueFrom == nil && e.Value != before && strings.Contains(e.Value, before)
}

// Annotations that said what fields say now. Behind those of containers are their names.
const (
	appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/"
	seccompOfPod   = "seccomp.security.alpha.kubernetes.io/pod"
	seccompPrefix  = "container.seccomp.security.alpha.kubernetes.io/"
)

// profiles looks for profiles of seccomp in annotations, without the field that counts.
func (w *Warnings) profiles(at root, meta *metav1.ObjectMeta, spec *corev1.PodSpec) {
	if _, ok := meta.Annotations[seccompOfPod]; ok && (spec.SecurityContext == nil || spec.SecurityContext.SeccompProfile == nil) {
		w.Add(`%smetadata.annotations[%s]: non-functional in v1.27+; use the "seccompProfile" field instead`, at, seccompOfPod)
	}
	if !hasPrefix(meta.Annotations, seccompPrefix) {
		return
	}
	eachContainer(spec, func(_ slot, c *corev1.Container) {
		key := seccompPrefix + c.Name
		if _, ok := meta.Annotations[key]; ok && (c.SecurityContext == nil || c.SecurityContext.SeccompProfile == nil) {
			w.Add(`%smetadata.annotations[%s]: non-functional in v1.27+; use the "seccompProfile" field instead`, at, key)
		}
	})
}

// appArmor looks for profiles of AppArmor in annotations, where neither the container nor the pod
// says the same in a field.
func (w *Warnings) appArmor(at root, meta *metav1.ObjectMeta, spec *corev1.PodSpec) {
	if !hasPrefix(meta.Annotations, appArmorPrefix) {
		return
	}
	var ofPod *corev1.AppArmorProfile
	if spec.SecurityContext != nil {
		ofPod = spec.SecurityContext.AppArmorProfile
	}
	eachContainer(spec, func(_ slot, c *corev1.Container) {
		key := appArmorPrefix + c.Name
		annotation, ok := meta.Annotations[key]
		if !ok || c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil {
			return
		}
		if ofPod == nil || !equality.Semantic.DeepEqual(ofPod, appArmorProfile(annotation)) {
			w.Add(`%smetadata.annotations[%s]: deprecated since v1.30; use the "appArmorProfile" field instead`, at, key)
		}
	})
}

// appArmorProfile is the profile that an annotation names, nil if it names none.
func appArmorProfile(annotation string) *corev1.AppArmorProfile {
	local, isLocal := strings.CutPrefix(annotation, "localhost/")
	switch {
	case annotation == "unconfined":
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeUnconfined}
	case annotation == "runtime/default":
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeRuntimeDefault}
	case isLocal && local != "":
		return &corev1.AppArmorProfile{Type: corev1.AppArmorProfileTypeLocalhost, LocalhostProfile: &local}
	}
	return nil
}

func hasPrefix(annotations map[string]string, prefix string) bool {
	for key := range annotations {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
