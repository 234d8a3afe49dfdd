package server

import (
	"fmt"
	"net/http"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/internal/server/negotiate"
	"github.com/typeplane/typeplane/registry/rest"
)

// buildDiscovery writes the legacy documents: /api, /apis, and one for each group and for each
// version. Clients that know aggregated discovery get that at /api and /apis instead.
func (s *Server) buildDiscovery() error {
	groups := discovery.Groups(s.config.Resources)
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	var core []discovery.Group
	var named []discovery.Group
	for _, g := range groups {
		for _, v := range g.Versions {
			if err := s.addDocument(discovery.Path(v.GroupVersion), discovery.ResourceList(v)); err != nil {
				return err
			}
		}
		if g.Name == "" {
			core = append(core, g)
			continue
		}
		named = append(named, g)
		entry := discovery.APIGroup(g)
		list.Groups = append(list.Groups, entry)
		entry.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		if err := s.addDocument("/apis/"+g.Name, &entry); err != nil {
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
		for _, v := range core[0].Versions {
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

// addDocument serves obj, in the form that is asked for, at a path.
func (s *Server) addDocument(path string, obj apiruntime.Object) error {
	doc, err := newDocument(obj)
	if err != nil {
		return fmt.Errorf("server: discovery document %s: %w", path, err)
	}
	s.documents[path] = func(c *call) error {
		rep, err := c.representation(negotiate.MediaTypes)
		if err != nil {
			return err
		}
		return c.send(http.StatusOK, doc, rep)
	}
	return nil
}

// aggregated is an aggregated document, ready to be sent.
type aggregated struct {
	body map[rest.MediaType][]byte
	etag string
}

// aggregate answers with the aggregated document when a clause of Accept asks for it before all
// others that we could answer, and calls legacy else.
func aggregate(groups []discovery.Group, legacy func(*call) error) func(*call) error {
	documents := map[string]aggregated{}
	for _, version := range discovery.AggregatedVersions {
		body := discovery.Aggregated(groups, version)
		documents[version] = aggregated{body, etagOf(body[rest.JSON])}
	}
	return func(c *call) error {
		c.w.Header().Add("Vary", "Accept")
		mediaType, w, ok := negotiate.Find(c.req.Header["Accept"], negotiate.MediaTypes, func(offer rest.MediaType, w negotiate.Wish) bool {
			return negotiate.Plain(offer, w) || isDiscovery(w.Transform) && documents[w.Transform.Version].body[offer] != nil
		})
		if !ok || w.Transform == (negotiate.Transform{}) {
			return legacy(c)
		}
		doc := documents[w.Transform.Version]
		// Clients know the document by its Content-Type, not by what is in it.
		contentType := string(mediaType) + ";g=apidiscovery.k8s.io;v=" + w.Transform.Version + ";as=APIGroupDiscoveryList"
		return c.sendTagged(contentType, doc.body[mediaType], doc.etag)
	}
}

func isDiscovery(t negotiate.Transform) bool {
	return t.Kind == "APIGroupDiscoveryList" && t.Group == "apidiscovery.k8s.io"
}
