package tag

import "slices"

// Section is a family of tags of the Kubernetes world, as the reference page shows it.
type Section struct {
	Title string
	// Doc says in a sentence or two what the tags are for and whose they are.
	Doc  string
	Tags []Definition
}

// Sections are the tags that tools of the Kubernetes world read, whether or not a plug-in of ours
// does yet. A plug-in that reads one says more about it in its own Tags; this keeps the others from
// being taken for mistakes. Each family is in a file of its own: known_generators.go,
// known_validation.go, known_schema.go, known_kubebuilder.go, known_protobuf.go, known_client.go.
// Tags of the family typeplane: are known from our plug-ins only.
var Sections = []Section{generatorTags, validationTags, schemaTags, kubebuilderTags, protobufTags, clientTags}

// Common are the tags of all sections.
var Common = func() []Definition {
	var out []Definition
	for _, s := range Sections {
		out = slices.Concat(out, s.Tags)
	}
	return out
}()
