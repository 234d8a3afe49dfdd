package server

import (
	"crypto/sha512"
	"encoding/hex"
	"net/http"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry/rest"
)

// Aggregated discovery is the whole of discovery in one document, at /api for the core group and at
// /apis for the others. The structs below are its wire format (apidiscovery.k8s.io), as far as this
// server fills it in.

type discoveryList struct {
	Kind       string           `json:"kind"`
	APIVersion string           `json:"apiVersion"`
	Metadata   struct{}         `json:"metadata"`
	Items      []discoveryGroup `json:"items"`
}

type discoveryGroup struct {
	Metadata discoveryName      `json:"metadata"`
	Versions []discoveryVersion `json:"versions"`
}

type discoveryName struct {
	Name string `json:"name,omitempty"` // none for the core group
}

type discoveryVersion struct {
	Version   string              `json:"version"`
	Resources []discoveryResource `json:"resources"`
	Freshness string              `json:"freshness"`
}

type discoveryResource struct {
	Resource string `json:"resource"`
	// ResponseKind must be there: old clients crash without it. Group and version are empty when
	// they are those around it.
	ResponseKind     discoveryKind `json:"responseKind"`
	Scope            string        `json:"scope"`
	SingularResource string        `json:"singularResource"`
	Verbs            []string      `json:"verbs"`
	ShortNames       []string      `json:"shortNames,omitempty"`
	Categories       []string      `json:"categories,omitempty"`

	Subresources []discoverySubresource `json:"subresources,omitempty"`
}

type discoverySubresource struct {
	Subresource  string        `json:"subresource"`
	ResponseKind discoveryKind `json:"responseKind"`
	Verbs        []string      `json:"verbs"`
}

type discoveryKind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// discoveryVersions are the versions of the document; v2beta1 has the same content and saves older
// kubectls the round trips through the legacy documents.
var discoveryVersions = []string{"v2", "v2beta1"}

// aggregated is one such document, ready to be sent.
type aggregated struct {
	body map[rest.MediaType][]byte
	etag string
}

// aggregate answers with the aggregated document when a clause of Accept asks for it before all
// others that we could answer, and calls legacy else.
func aggregate(groups []servedGroup, legacy func(*call) error) func(*call) error {
	documents := map[string]aggregated{}
	for _, version := range discoveryVersions {
		documents[version] = newAggregated(groups, version)
	}
	return func(c *call) error {
		c.w.Header().Add("Vary", "Accept")
		mediaType, w, ok := negotiate(c.req.Header["Accept"], mediaTypes, func(offer rest.MediaType, w wish) bool {
			return plain(offer, w) || w.transform.isDiscovery() && documents[w.transform.version].body[offer] != nil
		})
		if !ok || w.transform == (transform{}) {
			return legacy(c)
		}
		doc := documents[w.transform.version]
		// Clients know the document by its Content-Type, not by what is in it.
		contentType := string(mediaType) + ";g=apidiscovery.k8s.io;v=" + w.transform.version + ";as=APIGroupDiscoveryList"
		return c.sendTagged(contentType, doc.body[mediaType], doc.etag)
	}
}

func (t transform) isDiscovery() bool {
	return t.kind == "APIGroupDiscoveryList" && t.group == "apidiscovery.k8s.io"
}

func newAggregated(groups []servedGroup, version string) aggregated {
	list := discoveryList{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/" + version, Items: []discoveryGroup{}}
	for _, g := range groups {
		item := discoveryGroup{Metadata: discoveryName{g.name}}
		for _, v := range g.versions {
			item.Versions = append(item.Versions, aggregatedVersion(v))
		}
		list.Items = append(list.Items, item)
	}
	body := encodeJSON(list, "")
	asYAML, err := yaml.JSONToYAML(body)
	if err != nil {
		panic(err) // it is JSON that we have just written
	}
	return aggregated{body: map[rest.MediaType][]byte{rest.JSON: body, rest.YAML: asYAML}, etag: etagOf(body)}
}

func aggregatedVersion(v servedVersion) discoveryVersion {
	result := discoveryVersion{Version: v.Version, Freshness: "Current", Resources: []discoveryResource{}}
	for _, r := range v.resources {
		scope := "Cluster"
		if r.Namespaced {
			scope = "Namespaced"
		}
		result.Resources = append(result.Resources, discoveryResource{
			Resource:         r.Name,
			ResponseKind:     discoveryKind{Kind: r.Kind},
			Scope:            scope,
			SingularResource: r.Singular,
			Verbs:            verbs(r),
			ShortNames:       r.ShortNames,
			Categories:       r.Categories,
			Subresources:     aggregatedParts(v.parts[r.Name]),
		})
	}
	return result
}

func aggregatedParts(parts []*rest.Resource) []discoverySubresource {
	var result []discoverySubresource
	for _, r := range parts {
		kind := discoveryKind(r.BodyKind)
		kind.Kind = bodyKind(r).Kind
		result = append(result, discoverySubresource{Subresource: r.Subresource, ResponseKind: kind, Verbs: verbs(r)})
	}
	return result
}

// etagOf is a strong entity tag without its quotes.
func etagOf(body []byte) string {
	sum := sha512.Sum512(body)
	return strings.ToUpper(hex.EncodeToString(sum[:]))
}

// sendTagged answers 304 if the client has the document already.
func (c *call) sendTagged(contentType string, body []byte, etag string) error {
	header := c.w.Header()
	header.Set("ETag", `"`+etag+`"`)
	if header.Get("Cache-Control") == defaultCacheControl {
		header.Set("Cache-Control", "public")
	}
	if matchesETag(c.req.Header.Get("If-None-Match"), etag) {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	return c.sendBytes(http.StatusOK, contentType, body)
}

// matchesETag reads If-None-Match. A proxy may have made the tag a weak one.
func matchesETag(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == `"`+etag+`"` {
			return true
		}
	}
	return false
}
