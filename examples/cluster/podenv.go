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
	// podFields are the fields of a pod that a variable can have the value of, besides single labels and annotations.
	podFields = []string{
		"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName",
		"status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs",
	}
	// containerFields are those of a container; pages of memory come in sizes, so that their fields only begin alike.
	containerFields = []string{
		"limits.cpu", "limits.ephemeral-storage", "limits.memory", "requests.cpu", "requests.ephemeral-storage", "requests.memory",
	}
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
		errs = append(errs, validatePodField(ref, path.Child("fieldRef"))...)
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
	if from.FileKeyRef != nil {
		places++ // a driver's
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

func validatePodField(ref *corev1.ObjectFieldSelector, path *field.Path) field.ErrorList {
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
	case !slices.Contains(podFields, ref.FieldPath):
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
	return nil
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
