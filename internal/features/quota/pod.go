package quota

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/internal/quantity"
)

const (
	requestsPrefix = "requests."
	nativePrefix   = "kubernetes.io/"
)

// measurePod adds what a pod uses. One that has come to its end uses nothing; it still counts as an
// object.
func measurePod(obj apiruntime.Object, to *usage) bool {
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return false
	}
	to.pod = pod
	if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
		return true
	}
	to.used[corev1.ResourcePods] = one()
	requests := quantity.OfPod(&pod.Spec, quantity.Requests)
	limits := quantity.OfPod(&pod.Spec, quantity.Limits)
	quantity.Add(requests, pod.Spec.Overhead)
	// Overhead makes no limit where there is none, or one of 0.
	quantity.Add(limits, masked(pod.Spec.Overhead, difference(limits, nil)))
	for name, amount := range requests {
		switch {
		case name == corev1.ResourceCPU || name == corev1.ResourceMemory || name == corev1.ResourceEphemeralStorage,
			quantity.IsHugePages(name):
			to.used[name] = amount
			to.used[requestsPrefix+name] = amount
		case extended(name):
			to.used[requestsPrefix+name] = amount
		}
	}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage} {
		if amount, ok := limits[name]; ok {
			to.used["limits."+name] = amount
		}
	}
	return true
}

// podMeasures says which resources measurePod may add.
func podMeasures(name corev1.ResourceName) bool {
	switch name {
	case corev1.ResourcePods, corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage:
		return true
	}
	text := string(name)
	return strings.HasPrefix(text, requestsPrefix) || strings.HasPrefix(text, "limits.") || quantity.IsHugePages(name)
}

// extended says that a resource is none of Kubernetes' own: a device, for example.
func extended(name corev1.ResourceName) bool {
	domain, _, qualified := strings.Cut(string(name), "/")
	return qualified && !strings.Contains(string(name), nativePrefix) && !strings.HasPrefix(domain, requestsPrefix)
}

// compute are the resources that every container of a pod must name, where a quota limits them,
// unless the pod names resources as a whole.
var compute = []corev1.ResourceName{
	corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
	corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory,
}

// missing says what the containers of a pod don't name of what is limited: "limits.cpu for: a,b;
// requests.memory for: b".
func missing(pod *corev1.Pod, hard corev1.ResourceList) string {
	if pod == nil || strategy.ManagesResources(&pod.Spec) {
		return ""
	}
	without := map[corev1.ResourceName][]string{}
	for _, c := range slices.Concat(pod.Spec.Containers, pod.Spec.InitContainers) {
		for _, name := range compute {
			if _, limited := hard[name]; limited && !names(c.Resources, name) {
				without[name] = append(without[name], c.Name)
			}
		}
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(without)) {
		slices.Sort(without[name])
		parts = append(parts, string(name)+" for: "+strings.Join(slices.Compact(without[name]), ","))
	}
	return strings.Join(parts, "; ")
}

// names says whether requirements say something of a resource of a quota.
func names(r corev1.ResourceRequirements, name corev1.ResourceName) bool {
	list, text := r.Requests, strings.TrimPrefix(string(name), requestsPrefix)
	if limit, ok := strings.CutPrefix(text, "limits."); ok {
		list, text = r.Limits, limit
	}
	_, ok := list[corev1.ResourceName(text)]
	return ok
}
