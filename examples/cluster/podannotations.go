package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/features/strategy"
	"github.com/typeplane/typeplane/registry/rest"
)

// Annotations of pods that mean something. Most are of a time before there was a field. The rules
// are those of pkg/apis/core/validation of Kubernetes.

// What annotations call a profile that has no name of its own, or begin its name with. The first
// three are for AppArmor and seccomp, the last for seccomp alone.
const (
	unconfined     = "unconfined"
	runtimeDefault = "runtime/default"
	localhost      = "localhost/"
	dockerDefault  = "docker/default"
)

// oldTolerations is where tolerations were, as JSON.
const oldTolerations = "scheduler.alpha.kubernetes.io/tolerations"

// validateAnnotations judges the annotations at a path, of a pod or a template. was are those that
// there were before, if there were any. It is ValidatePodSpecificAnnotations.
func validateAnnotations(annotations, was map[string]string, spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	var containers map[string]bool
	for key, value := range rest.WhileFew(&errs, maps.All(annotations)) {
		switch {
		case key == corev1.MirrorPodAnnotationKey:
			if spec.NodeName == "" {
				errs = append(errs, field.Invalid(path.Key(key), value, "must set spec.nodeName if mirror pod annotation is set"))
			}
		case key == oldTolerations:
			errs = append(errs, validateOldTolerations(value, path)...)
		case key == corev1.PodDeletionCost:
			if before, ok := was[key]; !isCost(value) && (!ok || isCost(before)) {
				errs = append(errs, field.Invalid(path.Key(key), value, "must be a 32bit integer"))
			}
		case key == strategy.SeccompOfPod, strings.HasPrefix(key, strategy.SeccompPrefix):
			errs = append(errs, validateSeccompName(value, path.Child(key))...)
		case strings.HasPrefix(key, strategy.AppArmorPrefix):
			if containers == nil {
				containers = namesOfContainers(spec)
			}
			if name := strings.TrimPrefix(key, strategy.AppArmorPrefix); !containers[name] {
				errs = append(errs, field.Invalid(path.Key(key), name, "container not found"))
			}
			if value != "" && value != runtimeDefault && value != unconfined && !strings.HasPrefix(value, localhost) {
				errs = append(errs, field.Invalid(path.Key(key), value, fmt.Sprintf("invalid AppArmor profile name: %q", value)))
			}
		}
	}
	return byField(errs)
}

// byField sorts faults of what has no order, like a map.
func byField(errs field.ErrorList) field.ErrorList {
	slices.SortStableFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Field, b.Field) })
	return errs
}

func namesOfContainers(spec *corev1.PodSpec) map[string]bool {
	names := map[string]bool{}
	for _, c := range containersOfPod(spec, nil) {
		names[c.Name] = true
	}
	return names
}

func validateOldTolerations(text string, path *field.Path) field.ErrorList {
	if text == "" {
		return nil
	}
	var tolerations []corev1.Toleration
	if err := json.Unmarshal([]byte(text), &tolerations); err != nil {
		return field.ErrorList{field.Invalid(path, oldTolerations, err.Error())}
	}
	var errs field.ErrorList
	for i, t := range rest.WhileFew(&errs, slices.All(tolerations)) {
		errs = append(errs, validateToleration(t, path.Child(oldTolerations).Index(i))...)
	}
	return errs
}

// isCost says whether a text is a number of 32 bits, without a plus sign and zeros before it.
func isCost(text string) bool {
	if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "0") && text != "0" {
		return false
	}
	_, err := strconv.ParseInt(text, 10, 32)
	return err == nil
}

func validateSeccompName(name string, at *field.Path) field.ErrorList {
	if name == runtimeDefault || name == dockerDefault || name == unconfined {
		return nil
	}
	if local, ok := strings.CutPrefix(name, localhost); ok {
		return validateInside(at, local)
	}
	return field.ErrorList{field.Invalid(at, name, "must be a valid seccomp profile")}
}

// validateChangedAnnotations judges the annotations of a pod that is there: it stays confined as it
// is, and by whom it was made. It is ValidatePodSpecificAnnotationUpdates.
func validateChangedAnnotations(pod, old *corev1.Pod) field.ErrorList {
	path := field.NewPath("metadata", "annotations")
	errs := validateAnnotations(pod.Annotations, old.Annotations, &pod.Spec, path)
	for key, before := range rest.WhileFew(&errs, maps.All(old.Annotations)) {
		if value, ok := pod.Annotations[key]; fixedAnnotation(key) != "" && (!ok || value != before) {
			errs = append(errs, field.Forbidden(path.Key(key), "may not remove or update "+fixedAnnotation(key)))
		}
	}
	for key := range rest.WhileFew(&errs, maps.All(pod.Annotations)) {
		if _, ok := old.Annotations[key]; fixedAnnotation(key) != "" && !ok {
			errs = append(errs, field.Forbidden(path.Key(key), "may not add "+fixedAnnotation(key)))
		}
	}
	return byField(errs)
}

// fixedAnnotation is what an annotation is called that a pod has for ever; "" for others.
func fixedAnnotation(key string) string {
	switch {
	case strings.HasPrefix(key, strategy.AppArmorPrefix):
		return "AppArmor annotations"
	case key == corev1.MirrorPodAnnotationKey:
		return "mirror pod annotation"
	}
	return ""
}

// validateProfiles judges annotations beside fields: where both name a profile, it is the same one.
// It is validateSeccompAnnotationsAndFields with the function for AppArmor that has such a name.
func validateProfiles(annotations map[string]string, spec *corev1.PodSpec, path *field.Path) field.ErrorList {
	if len(annotations) == 0 {
		return nil
	}
	var errs field.ErrorList
	ofPod := spec.SecurityContext
	if ofPod == nil {
		ofPod = &corev1.PodSecurityContext{}
	}
	if text, ok := annotations[strategy.SeccompOfPod]; ok {
		errs = append(errs, sameSeccomp(text, ofPod.SeccompProfile, path.Child("securityContext"))...)
	}
	windows := spec.OS != nil && spec.OS.Name == corev1.Windows
	for at, c := range rest.WhileFew(&errs, containersOfPod(spec, path)) {
		own, at := c.SecurityContext, at.Child("securityContext")
		if own == nil {
			own = &corev1.SecurityContext{}
		}
		if text, ok := annotations[strategy.SeccompPrefix+c.Name]; ok {
			errs = append(errs, sameSeccomp(text, own.SeccompProfile, at)...)
		}
		if text, ok := annotations[strategy.AppArmorPrefix+c.Name]; ok && !windows {
			errs = append(errs, sameAppArmor(text, cmp.Or(own.AppArmorProfile, ofPod.AppArmorProfile), at)...)
		}
	}
	return errs
}

func sameSeccomp(text string, p *corev1.SeccompProfile, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	if text == dockerDefault {
		text = runtimeDefault
	}
	return sameProfile(text, "seccomp", string(p.Type), p.LocalhostProfile, path.Child("seccompProfile"))
}

func sameAppArmor(text string, p *corev1.AppArmorProfile, path *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	return sameProfile(text, "apparmor", string(p.Type), p.LocalhostProfile, path.Child("appArmorProfile"))
}

// sameProfile judges the text of an annotation beside a profile of a type, with a name if there is
// one. AppArmor and seccomp have the same types.
func sameProfile(text, sort, typ string, name *string, path *field.Path) field.ErrorList {
	local, isLocal := strings.CutPrefix(text, localhost)
	same := true
	switch typ {
	case string(corev1.SeccompProfileTypeUnconfined):
		same = text == unconfined
	case string(corev1.SeccompProfileTypeRuntimeDefault):
		same = text == runtimeDefault
	case string(corev1.SeccompProfileTypeLocalhost):
		if isLocal && (name == nil || *name != local) {
			return field.ErrorList{field.Forbidden(path.Child("localhostProfile"), sort+" profile in annotation and field must match")}
		}
		same = isLocal
	}
	if same {
		return nil
	}
	return field.ErrorList{field.Forbidden(path.Child("type"), sort+" type in annotation and field must match")}
}
