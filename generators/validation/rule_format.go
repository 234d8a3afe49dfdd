package validation

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/tag"
)

// formats are the formats of strings that apimachinery has a function for.
var formats = []struct{ name, fn string }{
	{"k8s-extended-resource-name", "ExtendedResourceName"},
	{"k8s-label-key", "LabelKey"},
	{"k8s-label-value", "LabelValue"},
	{"k8s-long-name", "LongName"},
	{"k8s-long-name-caseless", "LongNameCaseless"},
	{"k8s-path-segment-name", "PathSegmentName"},
	{"k8s-prefixed-label-key", "PrefixedLabelKey"},
	{"k8s-resource-fully-qualified-name", "ResourceFullyQualifiedName"},
	{"k8s-resource-pool-name", "ResourcePoolName"},
	{"k8s-short-name", "ShortName"},
	{"k8s-uuid", "UUID"},
}

func formatRules() []rule {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return []rule{{
		name: "k8s:format", scopes: onAny, value: text, example: "+k8s:format=k8s-short-name",
		doc: "Format of a string: " + strings.Join(names, ", ") + ", k8s-ip.",
		plan: func(p *planner, s *site, t codetags.Tag) (plan, error) {
			if message := wantString(s.typ); message != "" {
				return plan{}, fault{message, "remove the tag"}
			}
			if t.Value == "k8s-ip" { // the library lacks it
				return helperCall(helperIP, emission{"FieldValueInvalid", "format=k8s-ip", ""}), nil
			}
			i := slices.Index(names, t.Value)
			if i < 0 {
				cure := "want " + strings.Join(names, ", ")
				if near := tag.Nearest(t.Value, names); near != "" {
					cure = "did you mean " + near + "?"
				}
				return plan{}, fault{"there is no format " + t.Value, cure}
			}
			return of(call{fn: lib(formats[i].fn), emits: []emission{{"FieldValueInvalid", "format=" + t.Value, ""}}}), nil
		},
	}}
}
