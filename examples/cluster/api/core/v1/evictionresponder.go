package v1

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// ValidateCustom_EvictionResponder_Name keeps the domains of Kubernetes for Kubernetes.
func ValidateCustom_EvictionResponder_Name(_ context.Context, _ operation.Operation, fldPath *field.Path, value, _ *string) field.ErrorList {
	if value == nil {
		return nil
	}
	domain, _, _ := strings.Cut(*value, "/")
	domain = "." + strings.TrimRight(strings.TrimSpace(strings.ToLower(domain)), ".")
	if strings.HasSuffix(domain, ".k8s.io") || strings.HasSuffix(domain, ".kubernetes.io") {
		return field.ErrorList{field.Invalid(fldPath, *value, "domain names *.k8s.io, *.kubernetes.io are reserved")}
	}
	return nil
}

// ValidateCustom_EvictionResponder_Priority keeps low priorities for responders of Kubernetes.
func ValidateCustom_EvictionResponder_Priority(_ context.Context, _ operation.Operation, fldPath *field.Path, value, _ *int32) field.ErrorList {
	if value == nil || *value < 0 || *value >= 1000 {
		return nil
	}
	return field.ErrorList{field.Invalid(fldPath, *value, "priorities 0-999 are reserved for responders with *.k8s.io suffix")}
}
