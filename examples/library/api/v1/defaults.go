package v1

import "strings"

// SetDefaults_BookSpec fills in what depends on another field; constants are +default tags in
// types.go.
func SetDefaults_BookSpec(spec *BookSpec) {
	if spec.SortTitle == "" {
		spec.SortTitle = strings.TrimPrefix(spec.Title, "The ")
	}
}
