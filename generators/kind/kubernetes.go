package kind

import (
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/load"
	"github.com/typeplane/typeplane/generators/tag"
)

// TagKubernetes marks a package whose kinds are copies of Kubernetes' own.
const TagKubernetes = "typeplane:kubernetes"

// OfKubernetes says whether a kind that pkg declares is one of Kubernetes' own: a type of k8s.io/api, or a copy of one in
// a package that says so by TagKubernetes. A kube-apiserver judges these by code; their +enum, +required and kubebuilder
// markers describe them and no more.
func OfKubernetes(pkg *load.Package, t *types.Type) bool {
	return strings.HasPrefix(t.Name.Package, "k8s.io/api/") || Copies(pkg)
}

// Copies says whether a package says that its types are copies of Kubernetes' own. It may be nil.
func Copies(pkg *load.Package) bool { return pkg != nil && tag.Has(pkg.DocLines, TagKubernetes) }

// AllOfKubernetes says whether a package has kinds, and each is one of Kubernetes' own.
func AllOfKubernetes(pkg *load.Package) bool {
	if Copies(pkg) {
		return true
	}
	declares := slices.ContainsFunc(pkg.Aliases, IsKind)
	for _, a := range pkg.Aliases {
		if IsKind(a) && !OfKubernetes(pkg, a.Target) {
			return false
		}
	}
	for name, t := range pkg.Types.Types {
		if !token.IsExported(name) || !Embeds(t, "TypeMeta") || !Embeds(t, "ObjectMeta") {
			continue
		}
		if !OfKubernetes(pkg, t) {
			return false
		}
		declares = true
	}
	return declares
}
