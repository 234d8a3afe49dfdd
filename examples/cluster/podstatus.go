package main

import (
	"context"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// ValidateStatusUpdate says what is wrong with what somebody saw of a pod: its addresses, and what
// others compute with. The annotations are written with it.
func (PodStrategy) ValidateStatusUpdate(_ context.Context, pod, old *corev1.Pod) field.ErrorList {
	status, was, path := &pod.Status, &old.Status, field.NewPath("status")
	errs := validateChangedAnnotations(pod, old)
	for i, c := range rest.WhileFew(&errs, slices.All(status.Conditions)) {
		at := path.Child("conditions").Index(i)
		if c.ObservedGeneration < 0 {
			errs = append(errs, field.Invalid(at.Child("observedGeneration"), c.ObservedGeneration, "must be a non-negative integer"))
		}
		errs = append(errs, invalid(at.Child("Type"), string(c.Type), validation.IsQualifiedName(string(c.Type)))...)
	}
	if node := status.NominatedNodeName; node != "" && node != was.NominatedNodeName {
		errs = append(errs, invalid(path.Child("nominatedNodeName"), node, content.IsDNS1123Subdomain(node))...)
		if old.Spec.NodeName != "" {
			errs = append(errs, field.Forbidden(path.Child("nominatedNodeName"), "may not be set on pods that are already bound to a node"))
		}
	}
	if status.ObservedGeneration < 0 {
		errs = append(errs, field.Invalid(path.Child("observedGeneration"), status.ObservedGeneration, "must be a non-negative integer"))
	}
	if status.QOSClass != "" && status.QOSClass != was.QOSClass {
		errs = append(errs, field.Invalid(path.Child("qosClass"), status.QOSClass, "field is immutable"))
	}
	errs = append(errs, validateRestarted(status, was, &old.Spec, path)...)

	if status.PodIP == "" && len(status.PodIPs) > 0 && status.PodIPs[0].IP == "" {
		errs = append(errs, field.Invalid(path.Child("podIPs"), status.PodIPs, "podIP and podIPs must either both be set or both be unset"))
	}
	pods, podsBefore, hosts, hostsBefore := podIPs(status), podIPs(was), hostIPs(status), hostIPs(was)
	errs = append(errs, validateAddresses(pods, podsBefore, path.Child("podIPs"))...)
	if len(hosts) > 0 && hosts[0] != status.HostIP {
		errs = append(errs, field.Invalid(path.Child("hostIPs").Index(0).Child("ip"), hosts[0], "must be equal to `hostIP`"))
	}
	return append(errs, validateAddresses(hosts, hostsBefore, path.Child("hostIPs"))...)
}

// podIPs are the addresses of a pod. A client that knows only the older field has written that.
func podIPs(s *corev1.PodStatus) []string {
	if s.PodIP != "" && (len(s.PodIPs) == 0 || s.PodIPs[0].IP != s.PodIP) {
		return []string{s.PodIP}
	}
	var out []string
	for _, a := range s.PodIPs {
		out = append(out, a.IP)
	}
	return out
}

func hostIPs(s *corev1.PodStatus) []string {
	var out []string
	for _, a := range s.HostIPs {
		out = append(out, a.IP)
	}
	return out
}

// validateAddresses judges addresses: at most one of each family. What was stored before may stay.
func validateAddresses(all, before []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	families, known := map[bool]bool{}, map[string]bool{}
	for _, a := range before {
		known[a] = true
	}
	for i, a := range rest.WhileFew(&errs, slices.All(all)) {
		if !known[a] {
			errs = append(errs, validation.IsValidIPForLegacyField(path.Index(i), a, true, nil)...)
		}
		if ip, err := netip.ParseAddr(a); err == nil {
			families[ip.Is4()] = true
		}
	}
	if len(all) > 1 && len(families) != len(all) {
		errs = append(errs, field.Invalid(path, all, "may specify no more than one IP for each IP family"))
	}
	return errs
}
