package discovery

import (
	"encoding/json"

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
	ResponseKind     Kind     `json:"responseKind"`
	Scope            string   `json:"scope"`
	SingularResource string   `json:"singularResource"`
	Verbs            []string `json:"verbs"`
	ShortNames       []string `json:"shortNames,omitempty"`
	Categories       []string `json:"categories,omitempty"`

	Subresources []discoverySubresource `json:"subresources,omitempty"`
}

type discoverySubresource struct {
	Subresource  string   `json:"subresource"`
	ResponseKind Kind     `json:"responseKind"`
	Verbs        []string `json:"verbs"`
}

// Kind is a kind, as documents name it.
type Kind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

// AggregatedVersions are the versions of the document; v2beta1 has the same content and saves older
// kubectls the round trips through the legacy documents.
var AggregatedVersions = []string{"v2", "v2beta1"}

// Aggregated is the document about some groups, in a version of it, as JSON and as YAML.
func Aggregated(groups []Group, version string) map[rest.MediaType][]byte {
	list := discoveryList{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/" + version, Items: []discoveryGroup{}}
	for _, g := range groups {
		item := discoveryGroup{Metadata: discoveryName{g.Name}}
		for _, v := range g.Versions {
			item.Versions = append(item.Versions, aggregatedVersion(v))
		}
		list.Items = append(list.Items, item)
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(err) // our own structs can always be written
	}
	body = append(body, '\n')
	asYAML, err := yaml.JSONToYAML(body)
	if err != nil {
		panic(err) // it is JSON that we have just written
	}
	return map[rest.MediaType][]byte{rest.JSON: body, rest.YAML: asYAML}
}

func aggregatedVersion(v Version) discoveryVersion {
	result := discoveryVersion{Version: v.Version, Freshness: "Current", Resources: []discoveryResource{}}
	for _, r := range v.Resources {
		scope := "Cluster"
		if r.Namespaced {
			scope = "Namespaced"
		}
		result.Resources = append(result.Resources, discoveryResource{
			Resource:         r.Name,
			ResponseKind:     Kind{Kind: r.Kind},
			Scope:            scope,
			SingularResource: r.Singular,
			Verbs:            verbs(r),
			ShortNames:       r.ShortNames,
			Categories:       r.Categories,
			Subresources:     aggregatedParts(v.Parts[r.Name]),
		})
	}
	return result
}

func aggregatedParts(parts []*rest.Resource) []discoverySubresource {
	var result []discoverySubresource
	for _, r := range parts {
		kind := Kind(r.BodyKind)
		kind.Kind = r.SentKind().Kind
		result = append(result, discoverySubresource{Subresource: r.Subresource, ResponseKind: kind, Verbs: verbs(r)})
	}
	return result
}
