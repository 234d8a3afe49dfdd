package main

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// What volumes and claims have in common: how they are used, their class, their size.

// accessModes are all that there are, in the order in which they are shown, with their short names.
var accessModes = []struct {
	mode  corev1.PersistentVolumeAccessMode
	short string
}{
	{corev1.ReadWriteOnce, "RWO"}, {corev1.ReadOnlyMany, "ROX"}, {corev1.ReadWriteMany, "RWX"}, {corev1.ReadWriteOncePod, "RWOP"},
}

// validateAccessModes judges a list of modes. One pod alone and anything else can't be meant
// together.
func validateAccessModes(path *field.Path, modes []corev1.PersistentVolumeAccessMode, missing string) field.ErrorList {
	var errs field.ErrorList
	if len(modes) == 0 {
		errs = append(errs, field.Required(path, missing))
	}
	var known []corev1.PersistentVolumeAccessMode
	for _, m := range accessModes {
		known = append(known, m.mode)
	}
	alone, shared := false, false
	for _, m := range rest.WhileFew(&errs, slices.All(modes)) {
		errs = append(errs, oneOf(path, m, known...)...)
		alone, shared = alone || m == corev1.ReadWriteOncePod, shared || m != corev1.ReadWriteOncePod
	}
	if alone && shared {
		errs = append(errs, field.Forbidden(path, "may not use ReadWriteOncePod with other access modes"))
	}
	return errs
}

// shortModes are modes as kubectl shows them.
func shortModes(modes []corev1.PersistentVolumeAccessMode) string {
	var short []string
	for _, m := range accessModes {
		if slices.Contains(modes, m.mode) {
			short = append(short, m.short)
		}
	}
	return strings.Join(short, ",")
}

// validateClass judges the name of a class; no name is as good as any.
func validateClass(path *field.Path, name string) field.ErrorList {
	if name == "" {
		return nil
	}
	return invalid(path, name, validation.NameIsDNSSubdomain(name, false))
}

// classOf is the class of a volume or claim. The annotation is how it was said before there was a
// field.
func classOf(annotations map[string]string, class *string) string {
	if name, ok := annotations[corev1.BetaStorageClassAnnotation]; ok {
		return name
	}
	return textOr(class, "")
}

func validateVolumeMode(path *field.Path, mode *corev1.PersistentVolumeMode) field.ErrorList {
	if mode == nil {
		return nil
	}
	return oneOf(path, *mode, corev1.PersistentVolumeBlock, corev1.PersistentVolumeFilesystem)
}

// validateSize judges how large something is.
func validateSize(path *field.Path, size resource.Quantity) field.ErrorList {
	if size.Sign() <= 0 {
		return field.ErrorList{field.Invalid(path, size.String(), "must be greater than zero")}
	}
	return nil
}

// validateAmounts judges what there is of resources, which may be nothing.
func validateAmounts(path *field.Path, amounts corev1.ResourceList) field.ErrorList {
	var errs field.ErrorList
	for name, q := range rest.WhileFew(&errs, maps.All(amounts)) {
		if q.Sign() < 0 {
			errs = append(errs, field.Invalid(path.Key(string(name)), q.String(), "must be a valid resource quantity"))
		}
	}
	return errs
}

// textOr is a text that may be missing.
func textOr[T ~string](s *T, missing string) string {
	if s == nil {
		return missing
	}
	return string(*s)
}
