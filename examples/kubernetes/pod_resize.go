package kubernetes

import (
	"cmp"
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// Resize changes what the containers of a pod may use, and the pod as a whole. The rules are those
// of ValidatePodResize in pkg/apis/core/validation of Kubernetes, with the features that are on by
// default.
func (PodStrategy) Resize(_ context.Context, pod, sent *corev1.Pod) error {
	switch {
	case isStatic(pod):
		return field.Forbidden(field.NewPath(""), "static pods cannot be resized")
	case pod.Spec.OS != nil && pod.Spec.OS.Name == corev1.Windows:
		return field.Forbidden(field.NewPath(""), "windows pods cannot be resized")
	}
	spec := resized(&pod.Spec, &sent.Spec)
	errs := validateResize(pod, spec)
	pod.Spec = *spec
	return errs.ToAggregate()
}

// resized is what is to become of a pod. A client that leaves out the resources of the pod as a
// whole may not know them.
func resized(is, sent *corev1.PodSpec) *corev1.PodSpec {
	spec := is.DeepCopy()
	if sent.Resources != nil {
		spec.Resources = sent.Resources
	}
	spec.Containers = resizedContainers(spec.Containers, sent.Containers)
	spec.InitContainers = resizedContainers(spec.InitContainers, sent.InitContainers)
	strategy.CompleteResources(spec)
	return spec
}

// resizedContainers are containers with the resources that were sent. Other containers than those
// that are there are left as they were sent, to be refused.
func resizedContainers(are, sent []corev1.Container) []corev1.Container {
	if !slices.EqualFunc(are, sent, func(a, b corev1.Container) bool { return a.Name == b.Name }) {
		return sent
	}
	for i := range are {
		are[i].Resources, are[i].ResizePolicy = sent[i].Resources, sent[i].ResizePolicy
	}
	return are
}

// validateResize judges what is to become of a pod.
func validateResize(pod *corev1.Pod, spec *corev1.PodSpec) field.ErrorList {
	var errs field.ErrorList
	if class := cmp.Or(pod.Status.QOSClass, strategy.QOSClass(&pod.Spec)); strategy.QOSClass(spec) != class {
		errs = append(errs, field.Invalid(specPath, class, "Pod QOS Class may not change as a result of resizing"))
	}
	if !nodeResizes(&pod.Status) {
		errs = append(errs, field.Forbidden(specPath, "Pod running on node without support for resize"))
	}
	errs = append(errs, validateResizedPod(spec.Resources, pod.Spec.Resources)...)
	others := append(validateSameContainers(spec.Containers, pod.Spec.Containers, "containers"),
		validateSameContainers(spec.InitContainers, pod.Spec.InitContainers, "initContainers")...)
	if len(others) > 0 {
		return append(errs, others...)
	}
	errs = append(errs, validateResizedInit(spec.InitContainers, pod.Spec.InitContainers)...)
	errs = append(errs, validateResizedContainers(spec.Containers, pod.Spec.Containers)...)
	// The pod may say nothing as a whole, and say that in another way.
	if len(errs) == 0 && amounts(spec.Resources)+amounts(pod.Spec.Resources) == 0 && !semantic.Equal(spec.Resources, pod.Spec.Resources) {
		return field.ErrorList{field.Forbidden(specPath, onlyComputes)}
	}
	return errs
}

// amounts is of how many resources something is said.
func amounts(r *corev1.ResourceRequirements) int {
	if r == nil {
		return 0
	}
	return len(r.Requests) + len(r.Limits)
}

// nodeResizes says whether a kubelet knows that what runs can be resized: it tells then what
// containers have.
func nodeResizes(status *corev1.PodStatus) bool {
	i := slices.IndexFunc(status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.State.Running != nil })
	return i < 0 || status.ContainerStatuses[i].Resources != nil
}

// validateSameContainers judges containers whose order and names stay.
func validateSameContainers(are, were []corev1.Container, name string) field.ErrorList {
	at := specPath.Child(name)
	if len(are) != len(were) {
		return field.ErrorList{field.Forbidden(at, name+" may not be added or removed on resize")}
	}
	var errs field.ErrorList
	for i := range rest.WhileFew(&errs, slices.All(are)) {
		if are[i].Name != were[i].Name {
			errs = append(errs, field.Forbidden(at.Index(i).Child("name"), name+" may not be renamed or reordered on resize"))
		}
	}
	return errs
}

// validateResizedPod judges the resources of the pod as a whole, which are not nil where there were
// some.
func validateResizedPod(is, was *corev1.ResourceRequirements) field.ErrorList {
	if amounts(is)+amounts(was) == 0 {
		return nil
	}
	if was == nil {
		was = &corev1.ResourceRequirements{}
	}
	var errs field.ErrorList
	at := specPath.Child("resources")
	if removes(is.Requests, was.Requests) {
		errs = append(errs, field.Forbidden(at.Child("requests"), "pod-level resource requests cannot be removed"))
	}
	if removes(is.Limits, was.Limits) {
		errs = append(errs, field.Forbidden(at.Child("limits"), "pod-level resource limits cannot be removed"))
	}
	if changesOthers(is, was) {
		errs = append(errs, field.Forbidden(specPath, "only cpu and memory resources are mutable at pod-level"))
	}
	return errs
}

const onlyComputes = "only cpu and memory resources are mutable"

// validateResizedContainers judges the resources of containers. Also the policies of resizing stay.
func validateResizedContainers(are, were []corev1.Container) field.ErrorList {
	var errs field.ErrorList
	for i := range rest.WhileFew(&errs, slices.All(are)) {
		is, was := &are[i], &were[i]
		errs = append(errs, validateRemoved(is, was, specPath.Child("containers").Index(i).Child("resources"))...)
		if changesMore(is, was) {
			errs = append(errs, field.Forbidden(specPath, onlyComputes))
		}
	}
	return errs
}

// validateResizedInit judges those of containers that begin before others. One that ends before
// others begin can't be started again for it.
func validateResizedInit(are, were []corev1.Container) field.ErrorList {
	var errs field.ErrorList
	for i := range rest.WhileFew(&errs, slices.All(are)) {
		is, was, at := &are[i], &were[i], specPath.Child("initContainers").Index(i)
		errs = append(errs, validateRemoved(is, was, at.Child("resources"))...)
		if changesMore(is, was) {
			errs = append(errs, field.Forbidden(at, "only cpu and memory resources for init or sidecar containers are mutable"))
		}
		if !isSidecar(is) && startsAgain(is) && !semantic.Equal(is, was) {
			errs = append(errs, field.Forbidden(at, "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"))
		}
	}
	return errs
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways
}

// startsAgain says whether a container has to be started again if it is resized.
func startsAgain(c *corev1.Container) bool {
	return slices.ContainsFunc(c.ResizePolicy, func(p corev1.ContainerResizePolicy) bool { return p.RestartPolicy == corev1.RestartContainer })
}

func validateRemoved(is, was *corev1.Container, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if removes(is.Resources.Requests, was.Resources.Requests) {
		errs = append(errs, field.Forbidden(at.Child("requests"), "resource requests cannot be removed"))
	}
	if removes(is.Resources.Limits, was.Resources.Limits) {
		errs = append(errs, field.Forbidden(at.Child("limits"), "resource limits cannot be removed"))
	}
	return errs
}

// removes says whether a list lacks an amount that there was.
func removes(is, was corev1.ResourceList) bool {
	for name := range was {
		if _, ok := is[name]; !ok {
			return true
		}
	}
	return false
}

// changesMore says whether more of a container changes than its CPU and memory.
func changesMore(is, was *corev1.Container) bool {
	return changesOthers(&is.Resources, &was.Resources) || !semantic.Equal(is.ResizePolicy, was.ResizePolicy)
}

// changesOthers says whether other resources change than CPU and memory.
func changesOthers(is, was *corev1.ResourceRequirements) bool {
	return !semantic.Equal(is.Claims, was.Claims) ||
		!semantic.Equal(others(is.Requests), others(was.Requests)) || !semantic.Equal(others(is.Limits), others(was.Limits))
}

func others(list corev1.ResourceList) corev1.ResourceList {
	list = maps.Clone(list)
	delete(list, corev1.ResourceCPU)
	delete(list, corev1.ResourceMemory)
	return list
}
