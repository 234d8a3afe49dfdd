// Package discovery says what a server serves: groups, versions and resources, in the documents
// that clients read before everything else. Start reading at Groups.
package discovery

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Group is what discovery says about one group.
type Group struct {
	Name     string    // "" for the core group
	Versions []Version // best first
}

// Version is what discovery says about one version of a group.
type Version struct {
	schema.GroupVersion
	Resources []*rest.Resource            // by name
	Parts     map[string][]*rest.Resource // the subresources of each, by name
}

// Groups sorts what is in the Config. Groups stay in the order of their first resource.
func Groups(resources []rest.Resource) []Group {
	var groups []Group
	for i := range resources {
		r := &resources[i]
		g := findOrAdd(&groups, func(g Group) bool { return g.Name == r.GroupVersion.Group })
		g.Name = r.GroupVersion.Group
		v := findOrAdd(&g.Versions, func(v Version) bool { return v.GroupVersion == r.GroupVersion })
		v.GroupVersion = r.GroupVersion
		if r.Subresource == "" {
			v.Resources = append(v.Resources, r)
			continue
		}
		if v.Parts == nil {
			v.Parts = map[string][]*rest.Resource{}
		}
		v.Parts[r.Name] = append(v.Parts[r.Name], r)
	}
	for _, g := range groups {
		slices.SortFunc(g.Versions, func(a, b Version) int { return runtime.CompareVersions(a.Version, b.Version) })
		for _, v := range g.Versions {
			slices.SortFunc(v.Resources, func(a, b *rest.Resource) int { return strings.Compare(a.Name, b.Name) })
			for _, parts := range v.Parts {
				slices.SortFunc(parts, func(a, b *rest.Resource) int { return strings.Compare(a.Subresource, b.Subresource) })
			}
		}
	}
	return groups
}

// Path is where a group version is served.
func Path(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}

// APIGroup is the document of a group, without its kind.
func APIGroup(g Group) metav1.APIGroup {
	entry := metav1.APIGroup{Name: g.Name}
	for _, v := range g.Versions {
		entry.Versions = append(entry.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	entry.PreferredVersion = entry.Versions[0]
	return entry
}

// ResourceList is the document of a version.
func ResourceList(v Version) *metav1.APIResourceList {
	list := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: v.String(),
		APIResources: []metav1.APIResource{},
	}
	for _, r := range v.Resources {
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name:               r.Name,
			SingularName:       r.Singular,
			Namespaced:         r.Namespaced,
			Kind:               r.Kind,
			Verbs:              verbs(r),
			ShortNames:         r.ShortNames,
			Categories:         r.Categories,
			StorageVersionHash: storageVersionHash(r),
		})
		for _, part := range v.Parts[r.Name] {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name:       part.FullName(),
				Namespaced: part.Namespaced,
				Kind:       part.SentKind().Kind,
				Group:      part.BodyKind.Group, // with the version, if they are others than those around it
				Version:    part.BodyKind.Version,
				Verbs:      verbs(part),
			})
		}
	}
	return list
}

// verbs are the ones that the resource has, sorted.
func verbs(r *rest.Resource) []string {
	var names []string
	for _, verb := range []struct {
		name   string
		served bool
	}{
		{"create", r.Create != nil},
		{"delete", r.Delete != nil},
		{"deletecollection", r.DeleteCollection != nil},
		{"get", r.Get != nil},
		{"list", r.List != nil},
		{"patch", r.Patch != nil},
		{"update", r.Update != nil},
		{"watch", r.Watch != nil},
	} {
		if verb.served {
			names = append(names, verb.name)
		}
	}
	for _, method := range r.ConnectMethods {
		names = append(names, rest.ConnectVerb(method))
	}
	slices.Sort(names)
	return names
}

// storageVersionHash lets clients see that the stored version has changed, without telling them
// which it is.
func storageVersionHash(r *rest.Resource) string {
	gv := r.StorageVersion
	if gv.Version == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(gv.Group + "/" + gv.Version + "/" + r.Kind))
	return base64.StdEncoding.EncodeToString(sum[:8])
}

// findOrAdd returns the first element that matches, or a new one at the end.
func findOrAdd[T any](list *[]T, match func(T) bool) *T {
	i := slices.IndexFunc(*list, match)
	if i < 0 {
		var element T
		*list = append(*list, element)
		i = len(*list) - 1
	}
	return &(*list)[i]
}
