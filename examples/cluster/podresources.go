package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/internal/quantity"
	"github.com/typeplane/typeplane/registry/rest"
	runtimequantity "github.com/typeplane/typeplane/runtime/quantity"
)

// validateResources judges what a container asks for.
func validateResources(r *corev1.ResourceRequirements, path *field.Path) field.ErrorList {
	return validateNeeds(r, path, quantity.ValidateContainerName)
}

// validateNeeds judges what somebody asks for who can have resources of some names. Nobody can ask
// for less than the limit of what can't be shared.
func validateNeeds(r *corev1.ResourceRequirements, path *field.Path, named func(*field.Path, corev1.ResourceName) field.ErrorList) field.ErrorList {
	var errs field.ErrorList
	pages, computes := false, false
	for _, list := range []struct {
		name       string
		quantities corev1.ResourceList
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for name, q := range rest.WhileFew(&errs, maps.All(list.quantities)) {
			at := path.Child(list.name).Key(string(name))
			errs = append(errs, named(at, name)...)
			errs = append(errs, validateAmount(name, q, at)...)
			pages = pages || quantity.IsHugePages(name)
			computes = computes || name == corev1.ResourceCPU || name == corev1.ResourceMemory
		}
	}
	for name, q := range rest.WhileFew(&errs, maps.All(r.Requests)) {
		limit, limited := r.Limits[name]
		switch {
		case !limited && !quantity.MayOvercommit(name):
			errs = append(errs, field.Required(path.Child("limits"), "Limit must be set for non overcommitable resources"))
		case limited && !quantity.MayOvercommit(name) && q.Cmp(limit) != 0:
			errs = append(errs, field.Invalid(path.Child("requests"), q.String(), fmt.Sprintf("must be equal to %s limit of %s", name, limit.String())))
		case limited && q.Cmp(limit) > 0:
			errs = append(errs, field.Invalid(path.Child("requests"), q.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		}
	}
	if pages && !computes {
		errs = append(errs, field.Forbidden(path, "HugePages require cpu or memory"))
	}
	return byField(errs)
}

func validateAmount(name corev1.ResourceName, q resource.Quantity, at *field.Path) field.ErrorList {
	var errs field.ErrorList
	if q.Sign() < 0 {
		errs = append(errs, field.Invalid(at, q.String(), "must be greater than or equal to 0"))
	}
	if quantity.Whole(name) && q.MilliValue()%1000 != 0 {
		errs = append(errs, field.Invalid(at, q.String(), "must be an integer"))
	}
	if quantity.IsHugePages(name) && !wholePages(name, q) {
		errs = append(errs, field.Invalid(at, q.String(), fmt.Sprintf("%s is not positive integer multiple of %s", q.String(), name)))
	}
	return errs
}

// wholePages says whether an amount of memory is a number of pages of the size in its name.
func wholePages(name corev1.ResourceName, q resource.Quantity) bool {
	text := strings.TrimPrefix(string(name), corev1.ResourceHugePagesPrefix)
	if runtimequantity.Check(text) != nil {
		return false
	}
	size, err := resource.ParseQuantity(text)
	if err != nil || size.MilliValue()%1000 != 0 {
		return false
	}
	bytes := size.Value() // 0 if there are too many
	return bytes > 0 && q.Value()%bytes == 0
}

// validatePodResources judges what a pod asks for as a whole. Its containers together ask for no
// more than that, and none of them has a higher limit.
func validatePodResources(spec *corev1.PodSpec, claims map[string]bool, path *field.Path) field.ErrorList {
	r := spec.Resources
	if r == nil || spec.OS != nil && spec.OS.Name == corev1.Windows { // there it is forbidden
		return nil
	}
	path = path.Child("resources")
	errs := validateNeeds(r, path, validatePodResourceName)
	if r.Claims != nil {
		errs = append(errs, field.Forbidden(path.Child("claims"), "claims may not be set for Resources at pod-level"))
	}
	errs = append(errs, validateClaims(r.Claims, claims, path.Child("claims"))...)
	requests, limits := quantity.OfContainers(spec, quantity.Requests), quantity.OfContainers(spec, quantity.Limits)
	for _, name := range quantity.SortedNames(requests) {
		asked := requests[name]
		if q, ok := r.Requests[name]; ok && asked.Cmp(q) > 0 {
			errs = append(errs, field.Invalid(path.Child("requests").Key(string(name)), q.String(), "must be greater than or equal to aggregate container requests of "+asked.String()))
		}
	}
	for _, name := range quantity.SortedNames(limits) {
		limit := limits[name]
		if q, ok := r.Limits[name]; ok && quantity.IsHugePages(name) && limit.Cmp(q) > 0 {
			errs = append(errs, field.Invalid(path.Child("limits").Key(string(name)), q.String(), "must be greater than or equal to aggregate container limits of "+limit.String()))
		}
	}
	for i, c := range rest.WhileFew(&errs, slices.All(spec.Containers)) {
		for _, name := range quantity.SortedNames(c.Resources.Limits) {
			limit := c.Resources.Limits[name]
			if q, ok := r.Limits[name]; ok && limit.Cmp(q) > 0 {
				at := path.Child("containers").Index(i).Key(string(name)).Child("limits")
				errs = append(errs, field.Invalid(at, limit.String(), "must be less than or equal to pod limits of "+q.String()))
			}
		}
	}
	return errs
}

func validatePodResourceName(at *field.Path, name corev1.ResourceName) field.ErrorList {
	if errs := quantity.ValidateName(at, name); len(errs) > 0 || quantity.PodCanHave(name) {
		return errs
	}
	return field.ErrorList{field.NotSupported(at, name, []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceHugePagesPrefix, corev1.ResourceMemory})}
}
