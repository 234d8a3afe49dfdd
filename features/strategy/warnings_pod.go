package strategy

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// root is where a pod is in an object: "" is a pod, "spec.template" that of a deployment.
type root string

// String is what the place of a part of the pod begins with.
func (r root) String() string {
	if r == "" {
		return ""
	}
	return string(r) + "."
}

// Template looks at a template of pods.
func (w *Warnings) Template(place string, template *corev1.PodTemplateSpec) {
	at := root(place)
	w.annotations(at, template.Annotations)
	w.spec(at, &template.Spec)
	w.profiles(at, &template.ObjectMeta, &template.Spec)
	w.appArmor(at, &template.ObjectMeta, &template.Spec)
}

// pod looks at a pod.
func (w *Warnings) pod(pod *corev1.Pod) {
	w.name(pod.Name, "the Pod's hostname")
	w.annotations("", pod.Annotations)
	w.spec("", &pod.Spec)
	w.profiles("", &pod.ObjectMeta, &pod.Spec)
	w.copiedAppArmor(pod)
}

// podStatus looks at the addresses of a pod.
func (w *Warnings) podStatus(status *corev1.PodStatus) {
	for i := range status.PodIPs {
		w.Address(status.PodIPs[i].IP, "status.podIPs[%d].ip", i)
	}
	for i := range status.HostIPs {
		w.Address(status.HostIPs[i].IP, "status.hostIPs[%d].ip", i)
	}
}

// oldAnnotations are those that nobody reads any more.
var oldAnnotations = []struct{ key, text string }{
	{"scheduler.alpha.kubernetes.io/critical-pod", `non-functional in v1.16+; use the "priorityClassName" field instead`},
	{"security.alpha.kubernetes.io/sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
	{"security.alpha.kubernetes.io/unsafe-sysctls", `non-functional in v1.11+; use the "sysctls" field instead`},
}

// annotations looks at the annotations of a pod.
func (w *Warnings) annotations(at root, annotations map[string]string) {
	for _, old := range oldAnnotations {
		if _, ok := annotations[old.key]; ok {
			w.Add("%smetadata.annotations[%s]: %s", at, old.key, old.text)
		}
	}
}

// spec looks at the parts of a pod one by one.
func (w *Warnings) spec(at root, spec *corev1.PodSpec) {
	w.scheduling(at, spec)
	w.volumes(at, spec.Volumes)
	w.podAsAWhole(at, spec)
	eachContainer(spec, func(in slot, c *corev1.Container) { w.container(at, in, c) })
	w.ports(at, spec)
}

// podAsAWhole looks at what is said once for all containers.
func (w *Warnings) podAsAWhole(at root, spec *corev1.PodSpec) {
	eachRepeated(spec.HostAliases, func(a *corev1.HostAlias) string { return a.IP }, func(i int) {
		w.Add("%sspec.hostAliases[%d].ip: duplicate ip %q", at, i, spec.HostAliases[i].IP)
	})
	for i := range spec.HostAliases {
		w.address(spec.HostAliases[i].IP, func() string { return fmt.Sprintf("%sspec.hostAliases[%d].ip", at, i) })
	}
	eachRepeated(spec.ImagePullSecrets, func(s *corev1.LocalObjectReference) string { return s.Name }, func(i int) {
		w.Add("%sspec.imagePullSecrets[%d].name: duplicate name %q", at, i, spec.ImagePullSecrets[i].Name)
	})
	for i := range spec.ImagePullSecrets {
		if spec.ImagePullSecrets[i].Name == "" {
			w.Add(`%sspec.imagePullSecrets[%d].name: invalid empty name ""`, at, i)
		}
	}
	w.bytesOf(spec.Overhead, func() string { return at.String() + "spec.overhead" }, corev1.ResourceMemory, corev1.ResourceEphemeralStorage)
	if s := spec.TerminationGracePeriodSeconds; s != nil && *s < 0 {
		w.Add("%sspec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1", at)
	}
	if dns := spec.DNSConfig; dns != nil {
		for i, server := range dns.Nameservers {
			w.address(server, func() string { return fmt.Sprintf("%sspec.dnsConfig.nameservers[%d]", at, i) })
		}
	}
}

// scheduling looks at what says where a pod runs.
func (w *Warnings) scheduling(at root, spec *corev1.PodSpec) {
	w.NodeLabels(spec.NodeSelector, func(key, instead string) string { return at.String() + "spec.nodeSelector[" + key + "]: " + instead })
	for i := range spec.TopologySpreadConstraints {
		c := &spec.TopologySpreadConstraints[i]
		w.nodeLabel(c.TopologyKey, func() string { return fmt.Sprintf("%sspec.topologySpreadConstraints[%d].topologyKey", at, i) })
		w.selectsNone(c.LabelSelector, func() string { return fmt.Sprintf("%sspec.topologySpreadConstraints[%d].labelSelector", at, i) })
	}
	affinity := spec.Affinity
	if affinity == nil {
		return
	}
	if nodes := affinity.NodeAffinity; nodes != nil {
		w.nodeAffinity(at, nodes)
	}
	if a := affinity.PodAffinity; a != nil {
		w.podAffinity(at, "podAffinity", a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		w.podAffinity(at, "podAntiAffinity", a.RequiredDuringSchedulingIgnoredDuringExecution, a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func (w *Warnings) nodeAffinity(at root, nodes *corev1.NodeAffinity) {
	if r := nodes.RequiredDuringSchedulingIgnoredDuringExecution; r != nil {
		for i := range r.NodeSelectorTerms {
			w.nodeTerm(&r.NodeSelectorTerms[i], func() string {
				return fmt.Sprintf("%sspec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[%d]", at, i)
			})
		}
	}
	for i := range nodes.PreferredDuringSchedulingIgnoredDuringExecution {
		w.preferredNode(&nodes.PreferredDuringSchedulingIgnoredDuringExecution[i].Preference, func() string {
			return fmt.Sprintf("%sspec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[%d].preference", at, i)
		})
	}
}

func (w *Warnings) podAffinity(at root, sort string, needs []corev1.PodAffinityTerm, wishes []corev1.WeightedPodAffinityTerm) {
	for i := range needs {
		w.selectsNone(needs[i].LabelSelector, func() string {
			return fmt.Sprintf("%sspec.affinity.%s.requiredDuringSchedulingIgnoredDuringExecution[%d].labelSelector", at, sort, i)
		})
	}
	for i := range wishes {
		w.selectsNone(wishes[i].PodAffinityTerm.LabelSelector, func() string {
			return fmt.Sprintf("%sspec.affinity.%s.preferredDuringSchedulingIgnoredDuringExecution[%d].podAffinityTerm.labelSelector", at, sort, i)
		})
	}
}

// selectsNone looks for selectors that are not there. Who leaves one out means all pods, probably.
func (w *Warnings) selectsNone(selector *metav1.LabelSelector, place func() string) {
	if selector == nil {
		w.Add("%s: a null labelSelector results in matching no pod", place())
	}
}
