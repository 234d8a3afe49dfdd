package strategy

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/typeplane/typeplane/internal/quantity"
)

// ManagesResources reports whether a pod names resources as a whole.
func ManagesResources(spec *corev1.PodSpec) bool {
	if spec.Resources == nil {
		return false
	}
	for _, list := range []corev1.ResourceList{spec.Resources.Requests, spec.Resources.Limits} {
		for name := range list {
			if quantity.PodCanHave(name) {
				return true
			}
		}
	}
	return false
}

// CompleteResources fills in what a pod that says something of its resources as a whole leaves to
// its containers. First the limits of huge pages, which nobody can have more of than they are. Then
// the requests: what containers ask for together, or else the limit. At last the limits, where each
// container has one.
func CompleteResources(spec *corev1.PodSpec) {
	total := spec.Resources
	if total == nil || len(total.Requests)+len(total.Limits) == 0 {
		return
	}
	limits := quantity.OfContainers(spec, quantity.Limits)
	for name, limit := range limits {
		if _, asked := total.Requests[name]; quantity.IsHugePages(name) && !asked {
			fill(&total.Limits, name, limit)
		}
	}
	for name, request := range quantity.OfContainers(spec, quantity.Requests) {
		if quantity.PodCanHave(name) && !quantity.IsHugePages(name) {
			fill(&total.Requests, name, request)
		}
	}
	for name, limit := range total.Limits {
		if quantity.PodCanHave(name) {
			fill(&total.Requests, name, limit)
		}
	}
	for name, request := range total.Requests {
		limit, limited := limits[name]
		if !quantity.PodCanHave(name) || !limited || !eachLimits(spec, name) {
			continue
		}
		if request.Cmp(limit) > 0 {
			limit = request
		}
		fill(&total.Limits, name, limit)
	}
}

// eachLimits says whether each container of a pod has a limit of a resource.
func eachLimits(spec *corev1.PodSpec, name corev1.ResourceName) bool {
	for _, c := range slices.Concat(spec.InitContainers, spec.Containers) {
		if _, limited := c.Resources.Limits[name]; !limited {
			return false
		}
	}
	return true
}

// fill sets an amount of a list, if it has none of that name.
func fill(list *corev1.ResourceList, name corev1.ResourceName, amount resource.Quantity) {
	if _, said := (*list)[name]; said {
		return
	}
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = amount.DeepCopy()
}
