package declarative

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

var helperIP = plan.Validator("validate_ip", "wants an IPv4 or IPv6 address; leading zeros are allowed, as in Kubernetes.", "~string", nil,
	[]any{"if ", plan.Ident("k8s.io/utils/net", "ParseIPSloppy"), "(string(*obj)) == nil {"},
	[]any{"return ", plan.Ident(plan.FieldPath, "ErrorList"), "{", plan.Ident(plan.FieldPath, "Invalid"), `(fldPath, *obj, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)").WithOrigin("format=k8s-ip")}`},
	[]any{"}"})

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

func formatRules() []rule.Rule {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return []rule.Rule{{
		Name: "k8s:format", Scopes: rule.OnAny, Value: rule.Text, Example: "+k8s:format=k8s-short-name",
		Doc: "Format of a string: " + strings.Join(names, ", ") + ", k8s-ip.",
		Plan: func(p *rule.Planner, s *rule.Site, t codetags.Tag) (plan.Plan, error) {
			if message := shape.WantString(s.Type); message != "" {
				return plan.Plan{}, plan.Fault{Message: message, Cure: "remove the tag"}
			}
			if t.Value == "k8s-ip" { // the library lacks it
				return plan.HelperCall(helperIP, plan.Emission{Type: "FieldValueInvalid", Origin: "format=k8s-ip", Path: ""}), nil
			}
			i := slices.Index(names, t.Value)
			if i < 0 {
				cure := "want " + strings.Join(names, ", ")
				if near := tag.Nearest(t.Value, names); near != "" {
					cure = "did you mean " + near + "?"
				}
				return plan.Plan{}, plan.Fault{Message: "there is no format " + t.Value, Cure: cure}
			}
			return plan.Of(plan.Call{Func: plan.Lib(formats[i].fn), Emits: []plan.Emission{{Type: "FieldValueInvalid", Origin: "format=" + t.Value, Path: ""}}}), nil
		},
	}}
}
