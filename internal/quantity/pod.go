package quantity

import corev1 "k8s.io/api/core/v1"

// Requests and Limits are the two lists of what a container or a pod needs.
func Requests(r corev1.ResourceRequirements) corev1.ResourceList { return r.Requests }

// Limits is the other one.
func Limits(r corev1.ResourceRequirements) corev1.ResourceList { return r.Limits }

// PodCanHave says whether a pod can have a resource as a whole.
func PodCanHave(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || IsHugePages(name)
}

// OfPod is what a pod needs: what it says itself, or else what its containers come to. The result
// belongs to the caller.
func OfPod(spec *corev1.PodSpec, of func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	total := OfContainers(spec, of)
	if spec.Resources == nil {
		return total
	}
	for name, amount := range of(*spec.Resources) {
		if PodCanHave(name) {
			total[name] = amount.DeepCopy()
		}
	}
	return total
}

// OfContainers is what the containers of a pod need together. Init containers run one after the
// other, before the others. The pod needs as much as the largest of them, with the ones before it
// that go on running, the sidecars. Or it needs as much as all that run later. The result belongs
// to the caller.
func OfContainers(spec *corev1.PodSpec, of func(corev1.ResourceRequirements) corev1.ResourceList) corev1.ResourceList {
	total, sidecars, starting := corev1.ResourceList{}, corev1.ResourceList{}, corev1.ResourceList{}
	for i := range spec.Containers {
		Add(total, of(spec.Containers[i].Resources))
	}
	for i := range spec.InitContainers {
		c, while := &spec.InitContainers[i], corev1.ResourceList{}
		if p := c.RestartPolicy; p != nil && *p == corev1.ContainerRestartPolicyAlways {
			Add(total, of(c.Resources))
			Add(sidecars, of(c.Resources))
		} else {
			Add(while, of(c.Resources))
		}
		Add(while, sidecars)
		AtLeast(starting, while)
	}
	AtLeast(total, starting)
	return total
}

// Add adds the amounts of a list to those of another.
func Add(to, amounts corev1.ResourceList) {
	for name, amount := range amounts {
		sum := to[name].DeepCopy()
		sum.Add(amount)
		to[name] = sum
	}
}

// AtLeast makes each amount of a list at least that of another.
func AtLeast(list, least corev1.ResourceList) {
	for name, amount := range least {
		if have, ok := list[name]; !ok || have.Cmp(amount) < 0 {
			list[name] = amount.DeepCopy()
		}
	}
}
