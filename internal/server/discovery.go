package server

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// servedGroup is what discovery says about one group.
type servedGroup struct {
	name     string
	versions []servedVersion // best first
}

type servedVersion struct {
	schema.GroupVersion
	resources []*rest.Resource            // by name
	parts     map[string][]*rest.Resource // the subresources of each, by name
}

// servedGroups sorts what is in the Config. Groups stay in the order of their first resource.
func servedGroups(resources []rest.Resource) []servedGroup {
	var groups []servedGroup
	for i := range resources {
		r := &resources[i]
		g := findOrAdd(&groups, func(g servedGroup) bool { return g.name == r.GroupVersion.Group })
		g.name = r.GroupVersion.Group
		v := findOrAdd(&g.versions, func(v servedVersion) bool { return v.GroupVersion == r.GroupVersion })
		v.GroupVersion = r.GroupVersion
		if r.Subresource == "" {
			v.resources = append(v.resources, r)
			continue
		}
		if v.parts == nil {
			v.parts = map[string][]*rest.Resource{}
		}
		v.parts[r.Name] = append(v.parts[r.Name], r)
	}
	for _, g := range groups {
		slices.SortFunc(g.versions, func(a, b servedVersion) int { return runtime.CompareVersions(a.Version, b.Version) })
		for _, v := range g.versions {
			slices.SortFunc(v.resources, func(a, b *rest.Resource) int { return strings.Compare(a.Name, b.Name) })
			for _, parts := range v.parts {
				slices.SortFunc(parts, func(a, b *rest.Resource) int { return strings.Compare(a.Subresource, b.Subresource) })
			}
		}
	}
	return groups
}

// buildDiscovery writes the legacy documents: /api, /apis, and one for each group and for each
// version. Clients that know aggregated discovery get that at /api and /apis instead.
func (s *Server) buildDiscovery() error {
	groups := servedGroups(s.config.Resources)
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	var core []servedGroup
	var named []servedGroup
	for _, g := range groups {
		for _, v := range g.versions {
			if err := s.addDocument(apiPath(v.GroupVersion), resourceList(v)); err != nil {
				return err
			}
		}
		if g.name == "" {
			core = append(core, g)
			continue
		}
		named = append(named, g)
		entry := apiGroup(g)
		list.Groups = append(list.Groups, entry)
		entry.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		if err := s.addDocument("/apis/"+g.name, &entry); err != nil {
			return err
		}
	}

	s.documents["/apis"] = aggregate(named, func(c *call) error {
		here := list
		here.Groups = slices.Clone(list.Groups)
		for i := range here.Groups {
			here.Groups[i].ServerAddressByClientCIDRs = serverAddresses(c)
		}
		return c.sendObject(&here)
	})
	s.documents["/api"] = func(*call) error { return notFound() }
	if len(core) > 0 {
		versions := metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
		for _, v := range core[0].versions {
			versions.Versions = append(versions.Versions, v.Version)
		}
		s.documents["/api"] = func(c *call) error {
			here := versions
			here.ServerAddressByClientCIDRs = serverAddresses(c)
			return c.sendObject(&here)
		}
	}
	s.documents["/api"] = aggregate(core, s.documents["/api"])
	return nil
}

// serverAddresses says where the server is, for every client: where this one has found it.
func serverAddresses(c *call) []metav1.ServerAddressByClientCIDR {
	return []metav1.ServerAddressByClientCIDR{{ClientCIDR: "0.0.0.0/0", ServerAddress: c.req.Host}}
}

// apiPath is where a group version is served.
func apiPath(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "/api/" + gv.Version
	}
	return "/apis/" + gv.String()
}

// addDocument serves obj, in the form that is asked for, at a path.
func (s *Server) addDocument(path string, obj apiruntime.Object) error {
	doc, err := newDocument(obj)
	if err != nil {
		return fmt.Errorf("server: discovery document %s: %w", path, err)
	}
	s.documents[path] = func(c *call) error {
		form, err := c.form(mediaTypes)
		if err != nil {
			return err
		}
		return c.send(http.StatusOK, doc, form)
	}
	return nil
}

func apiGroup(g servedGroup) metav1.APIGroup {
	entry := metav1.APIGroup{Name: g.name}
	for _, v := range g.versions {
		entry.Versions = append(entry.Versions, metav1.GroupVersionForDiscovery{GroupVersion: v.String(), Version: v.Version})
	}
	entry.PreferredVersion = entry.Versions[0]
	return entry
}

func resourceList(v servedVersion) *metav1.APIResourceList {
	list := &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: v.String(),
		APIResources: []metav1.APIResource{},
	}
	for _, r := range v.resources {
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
		for _, part := range v.parts[r.Name] {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name:       fullName(part.Name, part.Subresource),
				Namespaced: part.Namespaced,
				Kind:       bodyKind(part).Kind,
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
		names = append(names, connectVerbs[method])
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
