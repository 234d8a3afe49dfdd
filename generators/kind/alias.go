// Package kind tells which aliases of an API package are kinds.
//
// A package serves a kind of another module by an alias whose comment carries markers:
//
//	// Pod is served as Kubernetes has it.
//	//
//	// +kubebuilder:resource:shortName=po
//	type Pod = corev1.Pod
//
//	type PodList = corev1.PodList
//
// Every plug-in that looks for kinds asks here, so that none serves what another does not know. The package judges
// nothing: what is wrong with an alias is reported by the generator of servers.
package kind

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/load"
)

const metaV1 = "k8s.io/apimachinery/pkg/apis/meta/v1"

// markers are what the tags begin with that make a kind of an alias. An alias without any is a name and nothing else.
var markers = []string{"+kubebuilder:", "+genclient"}

// Aliases returns the aliases of pkg that are kinds or lists of such, sorted by name.
func Aliases(pkg *load.Package) []load.Alias {
	kinds := map[string]bool{}
	for _, a := range pkg.Aliases {
		if IsKind(a) {
			kinds[a.Name] = true
		}
	}
	var out []load.Alias
	for _, a := range pkg.Aliases {
		item, isList := strings.CutSuffix(a.Name, "List")
		if kinds[a.Name] || isList && kinds[item] && is(a, "ListMeta") {
			out = append(out, a)
		}
	}
	return out
}

// IsKind says whether an alias is a kind: its comment has a marker and its type has the metadata of an object.
func IsKind(a load.Alias) bool { return marked(a.CommentLines) && is(a, "ObjectMeta") }

// is says whether an alias can be seen from outside and stands for a struct that embeds TypeMeta and this other type
// of meta/v1.
func is(a load.Alias, meta string) bool {
	return a.Go.Exported() && Embeds(a.Target, "TypeMeta") && Embeds(a.Target, meta)
}

func marked(lines []string) bool {
	return slices.ContainsFunc(lines, func(line string) bool {
		line = strings.TrimSpace(line)
		return slices.ContainsFunc(markers, func(m string) bool { return strings.HasPrefix(line, m) })
	})
}

// Embeds says whether t is a struct that embeds meta/v1's type called name.
func Embeds(t *types.Type, name string) bool {
	return slices.ContainsFunc(t.Members, func(m types.Member) bool {
		return m.Embedded && m.Type.Name == types.Name{Package: metaV1, Name: name}
	})
}
