package limitrange

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// podResources are what a pod asks for as a whole: what it says itself, or else what its containers
// come to.
func podResources(spec *corev1.PodSpec) corev1.ResourceRequirements {
	total := corev1.ResourceRequirements{
		Requests: sum(spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Requests }),
		Limits:   sum(spec, func(c *corev1.Container) corev1.ResourceList { return c.Resources.Limits }),
	}
	if spec.Resources != nil {
		override(total.Requests, spec.Resources.Requests)
		override(total.Limits, spec.Resources.Limits)
	}
	return total
}

// sum adds up a list of the containers. Init containers run one after the other, before the others.
// The pod needs as much as the largest of them, with the ones before it that go on running, the
// sidecars. Or it needs as much as all that run later.
func sum(spec *corev1.PodSpec, of func(*corev1.Container) corev1.ResourceList) corev1.ResourceList {
	total, sidecars, starting := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range spec.Containers {
		increase(total, of(&spec.Containers[i]))
	}
	for i := range spec.InitContainers {
		c := &spec.InitContainers[i]
		while := corev1.ResourceList{}
		if p := c.RestartPolicy; p != nil && *p == corev1.ContainerRestartPolicyAlways {
			increase(total, of(c))
			increase(sidecars, of(c))
		} else {
			increase(while, of(c))
		}
		increase(while, sidecars)
		raise(starting, while)
	}
	raise(total, starting)
	return total
}

// increase adds the quantities of a list to those of another.
func increase(total, by corev1.ResourceList) {
	for name, q := range by {
		have := total[name].DeepCopy()
		have.Add(q)
		total[name] = have
	}
}

// raise makes the quantities of a list at least those of another.
func raise(list, least corev1.ResourceList) {
	for name, q := range least {
		if have, there := list[name]; !there || have.Cmp(q) < 0 {
			list[name] = q.DeepCopy()
		}
	}
}

// override takes what a pod says itself, of the resources for which a pod can.
func override(total, said corev1.ResourceList) {
	for name, q := range said {
		if name == corev1.ResourceCPU || name == corev1.ResourceMemory || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix) {
			total[name] = q.DeepCopy()
		}
	}
}
