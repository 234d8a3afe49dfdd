package rbac

import (
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// validateName wants only that a name can be a part of a path: roles may be called
// "system:discovery".
func validateName(name string, prefix bool) []string {
	if prefix {
		return content.IsPathSegmentPrefix(name)
	}
	return pathSegment(name)
}

func pathSegment(name string) []string { return content.IsPathSegmentName(name) }

// createdColumns are those of roles: when they were made, and not how long ago, as kubectl has
// always shown it.
func createdColumns() []metav1.TableColumnDefinition {
	return []metav1.TableColumnDefinition{{Name: "Created At", Type: "string", Description: "When the role was created."}}
}

func created(role metav1.Object) string {
	return role.GetCreationTimestamp().UTC().Format(time.RFC3339)
}
