package core

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// What the names of resources mean: those without a slash are Kubernetes' own, and are in one of
// these lists. Huge pages come in sizes, so that their names only begin alike.
var (
	containerResources = []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceEphemeralStorage}
	podObjects         = []corev1.ResourceName{corev1.ResourcePods}
	podCompute         = []corev1.ResourceName{
		corev1.ResourceCPU, corev1.ResourceMemory, corev1.ResourceRequestsCPU, corev1.ResourceRequestsMemory, corev1.ResourceLimitsCPU, corev1.ResourceLimitsMemory,
	}
	claimResources = []corev1.ResourceName{corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage}
	// countedResources are numbers of objects.
	countedResources = []corev1.ResourceName{
		corev1.ResourcePods, corev1.ResourceServices, corev1.ResourceReplicationControllers, corev1.ResourceQuotas, corev1.ResourceSecrets, corev1.ResourceConfigMaps,
		corev1.ResourcePersistentVolumeClaims, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers,
	}
	// quotaResources are what a quota may limit.
	quotaResources = slices.Concat(containerResources, podCompute, countedResources, []corev1.ResourceName{
		corev1.ResourceRequestsStorage, corev1.ResourceRequestsEphemeralStorage, corev1.ResourceLimitsEphemeralStorage,
	})
)

func isHugePages(name corev1.ResourceName) bool {
	return strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func isQuotaResource(name corev1.ResourceName) bool {
	return slices.Contains(quotaResources, name) || isHugePages(name) || strings.HasPrefix(string(name), corev1.ResourceRequestsHugePagesPrefix)
}

// isExtended says whether a resource is one that somebody else has named, like example.com/gpu or
// count/pods. Those are counted in whole numbers.
func isExtended(name corev1.ResourceName) bool {
	s := string(name)
	if !strings.Contains(s, "/") || strings.Contains(s, corev1.ResourceDefaultNamespacePrefix) || strings.HasPrefix(s, corev1.DefaultResourceRequestsPrefix) {
		return false
	}
	return len(utilvalidation.IsQualifiedName(corev1.DefaultResourceRequestsPrefix+s)) == 0 // a quota may limit its requests
}

// mayOvercommit says whether the limits of a resource may promise more than there is.
func mayOvercommit(name corev1.ResourceName) bool {
	own := !strings.Contains(string(name), "/") || strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix)
	return own && !isHugePages(name)
}

// validateResourceName judges the name of any resource.
func validateResourceName(path *field.Path, name corev1.ResourceName) field.ErrorList {
	var errs field.ErrorList
	for _, message := range utilvalidation.IsQualifiedName(string(name)) {
		errs = append(errs, field.Invalid(path, name, message))
	}
	if len(errs) == 0 && !strings.Contains(string(name), "/") && !isQuotaResource(name) && name != corev1.ResourceStorage {
		errs = append(errs, field.Invalid(path, name, "must be a standard resource type or fully qualified"))
	}
	return errs
}

// ValidateContainerResource says what is wrong with the name of a resource that containers use.
func ValidateContainerResource(path *field.Path, name corev1.ResourceName) field.ErrorList {
	errs := validateResourceName(path, name)
	own := !strings.Contains(string(name), "/")
	switch {
	case own && !slices.Contains(containerResources, name) && !isHugePages(name):
		errs = append(errs, field.Invalid(path, name, "must be a standard resource for containers"))
	case !own && !strings.Contains(string(name), corev1.ResourceDefaultNamespacePrefix) && !isExtended(name):
		errs = append(errs, field.Invalid(path, name, "doesn't follow extended resource name standard"))
	}
	return errs
}

// validateQuantities judges what a quota says of resources: their names, and how much of them.
func validateQuantities(path *field.Path, list corev1.ResourceList) field.ErrorList {
	var errs field.ErrorList
	for _, name := range rest.WhileFew(&errs, slices.All(sortedNames(list))) {
		at, q := path.Key(string(name)), list[name]
		errs = append(errs, validateResourceName(at, name)...)
		if !strings.Contains(string(name), "/") && !isQuotaResource(name) {
			errs = append(errs, field.Invalid(at, name, "must be a standard resource for quota"))
		}
		if q.Sign() < 0 {
			errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
		}
		if counted := slices.Contains(countedResources, name) || isExtended(name); counted && !isWhole(q) {
			errs = append(errs, field.Invalid(at, q.String(), "must be an integer"))
		}
	}
	return errs
}

// isWhole says whether a quantity is a whole number.
func isWhole(q resource.Quantity) bool {
	whole := q.DeepCopy()
	return whole.RoundUp(0) // which says whether nothing was lost
}

// sortedNames are the names in a list, in the order of the alphabet: errors and columns are told in
// one order.
func sortedNames(lists ...corev1.ResourceList) []corev1.ResourceName {
	var names []corev1.ResourceName
	for _, list := range lists {
		for name := range list {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
