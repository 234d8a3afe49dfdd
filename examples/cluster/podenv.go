package main

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/rest"
)

// Where the variables of a container come from.

var (
	// podFields are the fields of a pod that a variable can have the value of, besides single
	// labels and annotations.
	podFields = []string{
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
		"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
	}
	// fileFields are those that a file can have, besides single labels and annotations.
	fileFields = []string{"metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid"}
	// containerFields are those of a container; pages of memory come in sizes, so that their fields
	// only begin alike.
	containerFields = []string{
		"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory",
	}
	// What they are counted in.
	cpuUnits   = []string{"1m", "1"}
	bytesUnits = []string{"1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"}
)

func validateEnv(env []corev1.EnvVar, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, v := range rest.WhileFew(&errs, slices.All(env)) {
		at := path.Index(i)
		if v.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			errs = append(errs, invalid(at.Child("name"), v.Name, validation.IsRelaxedEnvVarName(v.Name))...)
		}
		if v.ValueFrom != nil {
			errs = append(errs, validateEnvSource(v, at.Child("valueFrom"))...)
		}
	}
	return errs
}

// validateEnvSource judges where a value comes from: one place, and no value beside it.
func validateEnvSource(v corev1.EnvVar, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	from, places := v.ValueFrom, 0
	if ref := from.FieldRef; ref != nil {
		places++
		errs = append(errs, validatePodField(ref, podFields, path.Child("fieldRef"))...)
	}
	if ref := from.ResourceFieldRef; ref != nil {
		places++
		errs = append(errs, validateContainerField(ref, path.Child("resourceFieldRef"))...)
	}
	if ref := from.ConfigMapKeyRef; ref != nil {
		places++
		errs = append(errs, validateKey(ref.Name, ref.Key, path.Child("configMapKeyRef"))...)
	}
	if ref := from.SecretKeyRef; ref != nil {
		places++
		errs = append(errs, validateKey(ref.Name, ref.Key, path.Child("secretKeyRef"))...)
	}
	if ref := from.FileKeyRef; ref != nil {
		places++
		errs = append(errs, validateFileKey(ref, path.Child("fileKeyRef"))...)
	}
	switch {
	case places == 0:
		errs = append(errs, field.Invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
	case v.Value != "":
		errs = append(errs, field.Invalid(path, "", "may not be specified when `value` is not empty"))
	case places > 1:
		errs = append(errs, field.Invalid(path, "", "may not have more than one field specified at a time"))
	}
	return errs
}

// validatePodField judges a field of a pod that something else has the value of: one of some.
func validatePodField(ref *corev1.ObjectFieldSelector, known []string, path *field.Path) field.ErrorList {
	at := path.Child("fieldPath")
	switch {
	case ref.APIVersion == "":
		return field.ErrorList{field.Required(path.Child("apiVersion"), "")}
	case ref.FieldPath == "":
		return field.ErrorList{field.Required(at, "")}
	case ref.APIVersion != "v1":
		return field.ErrorList{field.Invalid(at, ref.FieldPath, "error converting fieldPath: unsupported pod version: "+ref.APIVersion)}
	}
	of, key, ok := strings.Cut(strings.TrimSuffix(ref.FieldPath, "']"), "['")
	switch {
	case ok && of == "metadata.annotations":
		return invalid(path, key, validation.IsQualifiedName(strings.ToLower(key)))
	case ok && of == "metadata.labels":
		return invalid(path, key, validation.IsQualifiedName(key))
	case !slices.Contains(known, ref.FieldPath):
		return field.ErrorList{field.Invalid(at, ref.FieldPath, "error converting fieldPath: field label not supported: "+ref.FieldPath)}
	}
	return nil
}

func validateContainerField(ref *corev1.ResourceFieldSelector, path *field.Path) field.ErrorList {
	at := path.Child("resource")
	pages := strings.HasPrefix(ref.Resource, "limits.hugepages-") || strings.HasPrefix(ref.Resource, "requests.hugepages-")
	switch {
	case ref.Resource == "":
		return field.ErrorList{field.Required(at, "")}
	case !pages && !slices.Contains(containerFields, ref.Resource):
		return field.ErrorList{field.NotSupported(at, ref.Resource, containerFields)}
	}
	units := bytesUnits
	if strings.HasSuffix(ref.Resource, ".cpu") {
		units = cpuUnits
	}
	if unit := ref.Divisor.String(); !ref.Divisor.IsZero() && !slices.Contains(units, unit) {
		return field.ErrorList{field.Invalid(path.Child("divisor"), unit, "must be one of "+strings.Join(units, ", "))}
	}
	return nil
}

// validateFileKey judges a variable that is in a file of another container's.
func validateFileKey(ref *corev1.FileKeySelector, path *field.Path) field.ErrorList {
	errs := required(path, part{"key", ref.Key != ""}, part{"path", ref.Path != ""})
	if ref.Key != "" {
		errs = append(errs, invalid(path.Child("key"), ref.Key, validation.IsRelaxedEnvVarName(ref.Key))...)
	}
	errs = append(errs, label(path.Child("volumeName"), ref.VolumeName)...)
	return append(errs, validateNoBacksteps(path.Child("path"), ref.Path)...)
}

// validateKey judges a key of a secret or a config map.
func validateKey(name, key string, path *field.Path) field.ErrorList {
	errs := invalid(path.Child("name"), name, content.IsDNS1123Subdomain(name))
	if key == "" {
		return append(errs, field.Required(path.Child("key"), ""))
	}
	return append(errs, invalid(path.Child("key"), key, validation.IsConfigMapKey(key))...)
}

// validateEnvFrom judges where whole sets of variables come from.
func validateEnvFrom(sets []corev1.EnvFromSource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	judge := func(name string, at *field.Path) {
		if name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
			return
		}
		errs = append(errs, invalid(at.Child("name"), name, content.IsDNS1123Subdomain(name))...)
	}
	for i, s := range rest.WhileFew(&errs, slices.All(sets)) {
		at := path.Index(i)
		if s.Prefix != "" {
			errs = append(errs, invalid(at.Child("prefix"), s.Prefix, validation.IsRelaxedEnvVarName(s.Prefix))...)
		}
		if s.ConfigMapRef != nil {
			judge(s.ConfigMapRef.Name, at.Child("configMapRef"))
		}
		if s.SecretRef != nil {
			judge(s.SecretRef.Name, at.Child("secretRef"))
		}
		switch {
		case s.ConfigMapRef == nil && s.SecretRef == nil:
			errs = append(errs, field.Invalid(path, "", "must specify one of: `configMapRef` or `secretRef`"))
		case s.ConfigMapRef != nil && s.SecretRef != nil:
			errs = append(errs, field.Invalid(path, "", "may not have more than one field specified at a time"))
		}
	}
	return errs
}
