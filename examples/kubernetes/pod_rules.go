package kubernetes

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// Validate says what is wrong with a new pod, or with one that a subresource changes.
// examples/cluster has more of Kubernetes' rules.
func (PodStrategy) Validate(_ context.Context, pod *corev1.Pod) field.ErrorList {
	errs := validatePodSpec(&pod.Spec, specPath)
	// One that is there has a resourceVersion, and may have been given some.
	if len(pod.Spec.EphemeralContainers) > 0 && pod.ResourceVersion == "" {
		errs = append(errs, field.Forbidden(specPath.Child("ephemeralContainers"), "cannot be set on create"))
	}
	if pod.Spec.NodeName != "" && len(pod.Spec.SchedulingGates) > 0 {
		errs = append(errs, field.Forbidden(specPath.Child("nodeName"), "cannot be set until all schedulingGates have been cleared"))
	}
	return errs
}

// validatePodSpec validates the containers of a pod, and those of its lists whose entries clients
// merge by another key than the unique one.
func validatePodSpec(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	errs := validateContainers(spec, path)
	taken := map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.All(spec.Containers)) {
		errs = append(errs, validateContainerPorts(c.Ports, taken, path.Child("containers").Index(i).Child("ports"))...)
	}
	for i, c := range rest.WhileFew(&errs, slices.All(spec.InitContainers)) {
		// They run one after the other, so they may use the same port of the node.
		errs = append(errs, validateContainerPorts(c.Ports, map[string]bool{}, path.Child("initContainers").Index(i).Child("ports"))...)
	}
	return append(errs, validateSpreading(spec.TopologySpreadConstraints, path.Child("topologySpreadConstraints"))...)
}

// validateContainerPorts requires unique names and unique ports of the node, because clients merge
// ports by containerPort, with its protocol or without. taken are the ports of the node that other
// containers use; those of ports are added.
func validateContainerPorts(ports []corev1.ContainerPort, taken map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, p := range rest.WhileFew(&errs, slices.All(ports)) {
		if p.Name != "" {
			errs = append(errs, unique(path.Index(i).Child("name"), p.Name, p.Name, names)...)
		}
		if p.HostPort != 0 {
			of := fmt.Sprintf("%s/%s/%d", p.Protocol, p.HostIP, p.HostPort)
			errs = append(errs, unique(path.Index(i).Child("hostPort"), of, of, taken)...)
		}
	}
	return errs
}

// validateSpreading requires that no two constraints have the same topologyKey and
// whenUnsatisfiable. Strategic merge patches merge them by topologyKey alone.
func validateSpreading(constraints []corev1.TopologySpreadConstraint, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen := map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.Backward(constraints)) { // the error is about the first of two
		pair := fmt.Sprintf("{%v, %v}", c.TopologyKey, c.WhenUnsatisfiable)
		errs = append(errs, unique(path.Index(i).Child("{topologyKey, whenUnsatisfiable}"), pair, pair, seen)...)
	}
	slices.Reverse(errs)
	return errs
}

// unique returns an error about value if its key has been seen, and adds the key to seen.
func unique[K comparable](path *field.Path, value any, key K, seen map[K]bool) field.ErrorList {
	if seen[key] {
		return field.ErrorList{field.Duplicate(path, value)}
	}
	seen[key] = true
	return nil
}

// validateContainers: there is one, and each has a name of its own and an image. One that somebody
// adds to look at another one says which.
func validateContainers(spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	seen := map[string]bool{}
	judge := func(name string, containers []corev1.Container) {
		for i, c := range rest.WhileFew(&errs, slices.All(containers)) {
			at := path.Child(name).Index(i)
			for _, message := range validation.IsDNS1123Label(c.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), c.Name, message))
			}
			if seen[c.Name] {
				errs = append(errs, field.Duplicate(at.Child("name"), c.Name))
			}
			seen[c.Name] = true
			if c.Image == "" {
				errs = append(errs, field.Required(at.Child("image"), ""))
			}
		}
	}
	judge("containers", spec.Containers)
	judge("initContainers", spec.InitContainers)
	ephemeral, at := make([]corev1.Container, len(spec.EphemeralContainers)), path.Child("ephemeralContainers")
	for i, c := range rest.WhileFew(&errs, slices.All(spec.EphemeralContainers)) {
		ephemeral[i] = corev1.Container(c.EphemeralContainerCommon)
		if c.TargetContainerName != "" && !seen[c.TargetContainerName] {
			errs = append(errs, field.NotFound(at.Index(i).Child("targetContainerName"), c.TargetContainerName))
		}
	}
	judge("ephemeralContainers", ephemeral)
	return errs
}

// ValidateUpdate says what is wrong with a changed pod: of what runs already, little can be
// changed.
func (PodStrategy) ValidateUpdate(_ context.Context, pod, old *corev1.Pod) field.ErrorList {
	errs := validatePodSpec(&pod.Spec, specPath)
	if len(pod.Spec.Containers) != len(old.Spec.Containers) || len(pod.Spec.InitContainers) != len(old.Spec.InitContainers) {
		return append(errs, field.Forbidden(specPath.Child("containers"), "pod updates may not add or remove containers"))
	}
	// What may be changed is put back; then nothing else may differ.
	now := pod.Spec.DeepCopy()
	for i := range now.Containers {
		now.Containers[i].Image = old.Spec.Containers[i].Image
	}
	for i := range now.InitContainers {
		now.InitContainers[i].Image = old.Spec.InitContainers[i].Image
	}
	if before := old.Spec.ActiveDeadlineSeconds; now.ActiveDeadlineSeconds != nil && (before == nil || *now.ActiveDeadlineSeconds <= *before) {
		now.ActiveDeadlineSeconds = before
	}
	if has(now.Tolerations, old.Spec.Tolerations, func(t *corev1.Toleration) { t.TolerationSeconds = nil }) {
		now.Tolerations = old.Spec.Tolerations
	}
	if has(old.Spec.SchedulingGates, now.SchedulingGates, func(*corev1.PodSchedulingGate) {}) {
		now.SchedulingGates = old.Spec.SchedulingGates
	}
	if !semantic.Equal(now, &old.Spec) {
		errs = append(errs, field.Forbidden(specPath, "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"+
			"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations), `spec.schedulingGates` (only removals)"))
	}
	return errs
}

// has says whether all of some are among others, but for what drop takes out of both. There may be
// many.
func has[T comparable](among, some []T, drop func(*T)) bool {
	there := map[T]bool{}
	for _, one := range among {
		drop(&one)
		there[one] = true
	}
	return !slices.ContainsFunc(some, func(one T) bool {
		drop(&one)
		return !there[one]
	})
}
