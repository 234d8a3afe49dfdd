// Package quantity knows the resources that pods, claims, limits and quotas count: what they may be
// called, which of them are whole numbers, and how finely the others are counted. The names are
// those of Kubernetes.
package quantity

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the names of resources mean: those without a slash are Kubernetes' own, and are in one of
// these lists. Huge pages come in sizes, so that their names only begin alike.
var (
	containerResources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	// countedResources are numbers of objects.
	countedResources = []corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceServices, corev1.ResourceReplicationControllers, corev1.ResourceQuotas, corev1.ResourceSecrets, corev1.ResourceConfigMaps,
		corev1.ResourcePersistentVolumeClaims, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	}
	// quotaResources are what a quota may limit.
	quotaResources = slices.Concat(containerResources, PodCompute(), countedResources, []corev1.ResourceName{
		corev1.ResourceRequestsStorage, corev1.ResourceRequestsEphemeralStorage, corev1.ResourceLimitsEphemeralStorage,
	})
)

// PodCompute are the resources that pods compute with, under all of the names that quotas have for
// them.
func PodCompute() []corev1.ResourceName {
	return []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
	}
}

// IsHugePages says whether a resource is memory in pages of a size.
func IsHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

// LimitedByQuota says whether a quota may limit a resource that is one of Kubernetes' own.
func LimitedByQuota(name corev1.ResourceName) bool {
	return slices.Contains(quotaResources, name) || IsHugePages(name) || strings.HasPrefix(string(name), corev1.ResourceRequestsHugePagesPrefix)
}

// Whole says whether a resource is counted in whole numbers.
func Whole(name corev1.ResourceName) bool {
	return slices.Contains(countedResources, name) || isExtended(name)
}

// isExtended says whether a resource is one that somebody else has named, like example.com/gpu or
// count/pods.
func isExtended(name corev1.ResourceName) bool {
	s := string(name)
	if !strings.Contains(s, "/") || strings.Contains(s, corev1.ResourceDefaultNamespacePrefix) || strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix) {
		return false
	}
	return len(utilvalidation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+s)) == 0 // a quota may limit its requests
}

// MayOvercommit says whether the limits of a resource may promise more than there is.
func MayOvercommit(name corev1.ResourceName) bool {
	own := !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
	return own && !IsHugePages(name)
}

// ValidateName judges the name of any resource.
func ValidateName(path *field.Path, name corev1.ResourceName) field.ErrorList {
	var errs field.ErrorList
	for _, message := range utilvalidation.IsQualifiedName(string(name)) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if len(errs) == 0 && !strings.Contains(string(name), "/") && !LimitedByQuota(name) && name != corev1.ResourceStorage {
		errs = append(errs, field.Invalid(path, name, "must be a standard resource type or fully qualified"))
	}
	return errs
}

// ValidateContainerName says what is wrong with the name of a resource that containers use.
func ValidateContainerName(path *field.Path, name corev1.ResourceName) field.ErrorList {
	errs := ValidateName(path, name)
	own := !strings.Contains(string(name), "/")
	switch {
	case own && !slices.Contains(containerResources, name) && !IsHugePages(name):
		errs = append(errs, field.Invalid(path, name, "must be a standard resource for containers"))
	case !own && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) && !isExtended(name):
		errs = append(errs, field.Invalid(path, name, "doesn't follow extended resource name standard"))
	}
	return errs
}

// SortedNames are the names in a list, in the order of the alphabet: errors and columns are told in
// one order.
func SortedNames(lists ...corev1.ResourceList) []corev1.ResourceName {
	var names []corev1.ResourceName
	for _, list := range lists {
		for name := range list {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// RoundUp rounds a list up to thousandths: that is as fine as anybody counts.
func RoundUp(list corev1.ResourceList) {
	for name, q := range list {
		q.RoundUp(resource.Milli)
		list[name] = q
	}
}
