package strategy

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
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

// Annotations that say the profile of seccomp of a pod, and of a container, as fields do now.
// Behind SeccompPrefix is the name of the container.
const (
	SeccompOfPod  = "seccomp.security.alpha.kubernetes.io/pod"
	SeccompPrefix = "container.seccomp.security.alpha.kubernetes.io/"
)

// profiles looks for profiles of seccomp in annotations, without the field that counts.
func (w *Warnings) profiles(at root, meta *metav1.ObjectMeta, spec *corev1.PodSpec) {
	if _, ok := meta.Annotations[SeccompOfPod]; ok && (spec.SecurityContext == nil || spec.SecurityContext.SeccompProfile == nil) {
		w.Add(`%smetadata.annotations[%s]: non-functional in v1.27+; use the "seccompProfile" field instead`, at, SeccompOfPod)
	}
	if !hasPrefix(meta.Annotations, SeccompPrefix) {
		return
	}
	eachContainer(spec, func(_ slot, c *corev1.Container) {
		key := SeccompPrefix + c.Name
		if _, ok := meta.Annotations[key]; ok && (c.SecurityContext == nil || c.SecurityContext.SeccompProfile == nil) {
			w.Add(`%smetadata.annotations[%s]: non-functional in v1.27+; use the "seccompProfile" field instead`, at, key)
		}
	})
}

func hasPrefix(annotations map[string]string, prefix string) bool {
	for key := range annotations {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
