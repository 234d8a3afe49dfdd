package openapi

import (
	"slices"
	"strings"
)

// modelName is the name under which a type is published. The first rule that applies decides:
//
//  1. the package says +k8s:openapi-model-package=io.example: io.example.Type;
//  2. the package says +groupName=library.example.com (an API of this module): the group
//     backwards, the version, the type, as Kubernetes names custom resources:
//     com.example.library.v1.Book;
//  3. the import path with its domain backwards, as Kubernetes names its own:
//     k8s.io/api/core/v1.Pod is io.k8s.api.core.v1.Pod.
func modelName(pkg packageNames, typeName string) string {
	switch {
	case pkg.modelPackage != "":
		return pkg.modelPackage + "." + typeName
	case pkg.group != "":
		return backwards(pkg.group) + "." + pkg.version + "." + typeName
	}
	domain, rest, _ := strings.Cut(pkg.path, "/")
	name := backwards(domain)
	if rest != "" {
		name += "." + strings.ReplaceAll(rest, "/", ".")
	}
	return name + "." + typeName
}

// packageNames is what the names of a package's models are made of.
type packageNames struct {
	path, modelPackage, group, version string
	isGroup                            bool // the package says +groupName=, be it the empty one
}

func backwards(domain string) string {
	parts := strings.Split(domain, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}
