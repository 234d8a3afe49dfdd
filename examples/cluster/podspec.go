package main

import (
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// validatePodSpec says what is wrong with a pod, or with a template of pods: whatever would keep
// every node from running it. What only some nodes would refuse is left to them. pod is nil in a
// template.
func validatePodSpec(spec *corev1.PodSpec, pod *metav1.ObjectMeta, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	errs = append(errs, oneOf(path.Child("restartPolicy"), spec.RestartPolicy, corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, oneOf(path.Child("dnsPolicy"), spec.DNSPolicy, corev1.DNSClusterFirst, corev1.DNSClusterFirstWithHostNet, corev1.DNSDefault, corev1.DNSNone)...)
	if s := spec.ActiveDeadlineSeconds; s != nil {
		errs = append(errs, within(path.Child("activeDeadlineSeconds"), *s, 1, math.MaxInt32)...)
	}
	errs = append(errs, validateNames(spec, path)...)
	errs = append(errs, validateScheduling(spec, path)...)
	errs = append(errs, validateReadinessGates(spec.ReadinessGates, path.Child("readinessGates"))...)
	if spec.ServiceAccountName != "" {
		errs = append(errs, invalid(path.Child("serviceAccountName"), spec.ServiceAccountName, validation.IsDNS1123Subdomain(spec.ServiceAccountName))...)
	}

	name := ""
	if pod != nil {
		name = pod.Name
	}
	volumes, own := validateVolumes(spec.Volumes, name, path.Child("volumes"))
	errs = append(errs, own...)
	containers := newContainerRules(spec, volumes, pod != nil)
	errs = append(errs, containers.validateContainers(path)...)
	errs = append(errs, containers.validateHostNetwork(path)...)
	if pod != nil && isStatic(pod) && len(spec.ResourceClaims) > 0 {
		errs = append(errs, field.Forbidden(field.NewPath(""), "static pods do not support resource claims"))
	} else {
		errs = append(errs, validatePodClaims(spec.ResourceClaims, path.Child("resourceClaims"))...)
	}
	errs = append(errs, validatePodResources(spec, containers.claims, path)...)
	errs = append(errs, validatePodSecurity(spec, path)...)
	errs = append(errs, validateRuntime(spec, path)...)
	errs = append(errs, validateOS(spec, path)...)
	return append(errs, validateHostProcesses(spec, path)...)
}

// isStatic says whether a pod shows what its kubelet runs by itself, from a file.
func isStatic(pod *metav1.ObjectMeta) bool {
	_, is := pod.Annotations[corev1.MirrorPodAnnotationKey]
	return is
}

// validatePodClaims judges the devices that a pod asks for.
func validatePodClaims(claims []corev1.PodResourceClaim, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	names := map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.All(claims)) {
		at := path.Index(i)
		errs = append(errs, label(at.Child("name"), c.Name)...)
		errs = append(errs, unique(at.Child("name"), c.Name, names)...)
		if (c.ResourceClaimName == nil) == (c.ResourceClaimTemplateName == nil) {
			errs = append(errs, field.Invalid(at, c.Name, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"))
		}
		for _, n := range []struct {
			name string
			is   *string
		}{{"resourceClaimName", c.ResourceClaimName}, {"resourceClaimTemplateName", c.ResourceClaimTemplateName}} {
			if n.is != nil {
				errs = append(errs, invalid(at.Child(n.name), *n.is, apivalidation.NameIsDNSSubdomain(*n.is, false))...)
			}
		}
	}
	return errs
}

// validateClaims judges which of its pod's devices a container gets.
func validateClaims(claims []corev1.ResourceClaim, ofPod map[string]bool, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	seen, used := map[corev1.ResourceClaim]bool{}, map[string]bool{}
	for i, c := range rest.WhileFew(&errs, slices.All(claims)) {
		at := path.Index(i)
		switch {
		case c.Name == "":
			errs = append(errs, field.Required(at, ""))
			continue
		case seen[c], seen[corev1.ResourceClaim{Name: c.Name}], c.Request == "" && used[c.Name]:
			errs = append(errs, field.Duplicate(at, c.Name))
		case !ofPod[c.Name]:
			errs = append(errs, field.NotFound(at, c.Name))
		}
		if c.Request != "" {
			errs = append(errs, invalid(at.Child("request"), c.Request, validation.IsDNS1123Label(c.Request))...)
		}
		seen[c], used[c.Name] = true, true
	}
	return errs
}
