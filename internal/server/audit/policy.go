package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Policy says how much of which request is kept: the Policy of audit.k8s.io/v1. It is not modified
// once it is in use.
type Policy struct {
	APIVersion string         `json:"apiVersion"`
	Kind       string         `json:"kind"`
	Metadata   map[string]any `json:"metadata,omitempty"`
	// Rules are looked through until one matches; where none does, nothing is kept.
	Rules             []Rule  `json:"rules"`
	OmitStages        []Stage `json:"omitStages,omitempty"`
	OmitManagedFields bool    `json:"omitManagedFields,omitempty"`

	refusals bool // whatever is refused for lack of credentials or rights is kept, too
}

// Rule is for the requests that fit all of its lists; an empty one fits everything.
type Rule struct {
	Level             Level           `json:"level"`
	Users             []string        `json:"users,omitempty"`
	UserGroups        []string        `json:"userGroups,omitempty"`
	Verbs             []string        `json:"verbs,omitempty"`
	Resources         []GroupResource `json:"resources,omitempty"`
	Namespaces        []string        `json:"namespaces,omitempty"`
	NonResourceURLs   []string        `json:"nonResourceURLs,omitempty"`
	OmitStages        []Stage         `json:"omitStages,omitempty"`
	OmitManagedFields *bool           `json:"omitManagedFields,omitempty"`
}

// GroupResource are resources of one group: "pods", "pods/log", "pods/*", "*/scale" or "*", and
// none for all.
type GroupResource struct {
	Group         string   `json:"group,omitempty"`
	Resources     []string `json:"resources,omitempty"`
	ResourceNames []string `json:"resourceNames,omitempty"`
}

// DefaultPolicy keeps the metadata of whatever writes, and of what is refused for lack of
// credentials or rights.
func DefaultPolicy() *Policy {
	return &Policy{
		Rules: []Rule{
			{Level: LevelNone, Verbs: []string{"get", "list", "watch", "head", "options"}},
			{Level: LevelMetadata},
		},
		OmitStages: []Stage{StageRequestReceived},
		refusals:   true,
	}
}

// ReadPolicy reads a file, and returns every mistake in it.
func ReadPolicy(file string) (*Policy, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	p := new(Policy)
	if err := yaml.UnmarshalStrict(data, p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return p, nil
}

func (p *Policy) validate() error {
	var errs []error
	if p.APIVersion != "audit.k8s.io/v1" || p.Kind != "Policy" {
		errs = append(errs, fmt.Errorf("apiVersion %q, kind %q: want audit.k8s.io/v1, Policy", p.APIVersion, p.Kind))
	}
	if len(p.Rules) == 0 {
		errs = append(errs, errors.New("rules: want at least one; without any, nothing is kept"))
	}
	errs = append(errs, checkStages("omitStages", p.OmitStages))
	for i, r := range p.Rules {
		errs = append(errs, r.validate(fmt.Sprintf("rules[%d]", i)))
	}
	return errors.Join(errs...)
}

func (r *Rule) validate(at string) error {
	var errs []error
	if r.Level.rank() == 0 {
		errs = append(errs, fmt.Errorf("%s.level: %q: want None, Metadata, Request or RequestResponse", at, r.Level))
	}
	if len(r.NonResourceURLs) > 0 && len(r.Resources)+len(r.Namespaces) > 0 {
		errs = append(errs, fmt.Errorf("%s: want resources and namespaces, or nonResourceURLs, and not both: a request is about one of them", at))
	}
	for i, url := range r.NonResourceURLs {
		if url != "*" && (!strings.HasPrefix(url, "/") || strings.Contains(strings.TrimSuffix(url, "*"), "*")) {
			errs = append(errs, fmt.Errorf("%s.nonResourceURLs[%d]: %q: want a path that begins with a slash, with no star but at the end", at, i, url))
		}
	}
	for i, gr := range r.Resources {
		if strings.Contains(gr.Group, "/") || gr.Group == "*" {
			errs = append(errs, fmt.Errorf("%s.resources[%d].group: %q: want the name of one group, without a version", at, i, gr.Group))
		}
		if len(gr.ResourceNames) > 0 && len(gr.Resources) == 0 {
			errs = append(errs, fmt.Errorf("%s.resources[%d].resourceNames: want resources beside them", at, i))
		}
	}
	return errors.Join(append(errs, checkStages(at+".omitStages", r.OmitStages))...)
}

func checkStages(at string, stages []Stage) error {
	var errs []error
	for _, s := range stages {
		if !slices.Contains([]Stage{StageRequestReceived, StageResponseStarted, StageResponseComplete, StagePanic}, s) {
			errs = append(errs, fmt.Errorf("%s: %q: want RequestReceived, ResponseStarted, ResponseComplete or Panic", at, s))
		}
	}
	return errors.Join(errs...)
}

// decision is what a policy says of a request.
type decision struct {
	level             Level
	omitStages        []Stage
	omitManagedFields bool
	quiet             bool // the body is a secret, and is not kept
}

func (d *decision) omits(s Stage) bool { return slices.Contains(d.omitStages, s) }

// decide finds the rule.
func (p *Policy) decide(req *Request) decision {
	for i := range p.Rules {
		r := &p.Rules[i]
		if !r.matches(req) {
			continue
		}
		d := decision{level: r.Level, omitStages: slices.Concat(p.OmitStages, r.OmitStages), omitManagedFields: p.OmitManagedFields}
		if r.OmitManagedFields != nil {
			d.omitManagedFields = *r.OmitManagedFields
		}
		if d.level.rank() > LevelMetadata.rank() && req.delicate() && !r.names(req) {
			d.level = LevelMetadata
		}
		d.quiet = req.delicate() && d.level == LevelMetadata
		return d
	}
	return decision{level: LevelNone}
}

func (r *Rule) matches(req *Request) bool {
	if len(r.Users) > 0 && !slices.Contains(r.Users, req.User.Username) ||
		len(r.UserGroups) > 0 && !slices.ContainsFunc(r.UserGroups, func(g string) bool { return slices.Contains(req.User.Groups, g) }) ||
		len(r.Verbs) > 0 && !slices.Contains(r.Verbs, req.Verb) {
		return false
	}
	if len(r.Namespaces)+len(r.Resources)+len(r.NonResourceURLs) == 0 {
		return true
	}
	if req.Object == nil {
		return slices.ContainsFunc(r.NonResourceURLs, func(pattern string) bool { return pathMatches(pattern, req.Path) })
	}
	if len(r.NonResourceURLs) > 0 || len(r.Namespaces) > 0 && !slices.Contains(r.Namespaces, req.Object.Namespace) {
		return false
	}
	return len(r.Resources) == 0 || slices.ContainsFunc(r.Resources, func(gr GroupResource) bool { return gr.matches(req.Object) })
}

func pathMatches(pattern, name string) bool {
	if prefix, open := strings.CutSuffix(pattern, "*"); open {
		return strings.HasPrefix(name, prefix)
	}
	return pattern == name
}

func (gr GroupResource) matches(o *ObjectReference) bool {
	if gr.Group != o.APIGroup {
		return false
	}
	if len(gr.Resources) == 0 {
		return true
	}
	if len(gr.ResourceNames) > 0 && !slices.Contains(gr.ResourceNames, o.Name) {
		return false
	}
	return slices.ContainsFunc(gr.Resources, func(pattern string) bool {
		resource, subresource, _ := strings.Cut(pattern, "/")
		switch {
		case pattern == "*", pattern == path.Join(o.Resource, o.Subresource):
			return true
		case subresource == "*":
			return resource == o.Resource && o.Subresource != ""
		}
		return resource == "*" && subresource == o.Subresource
	})
}

// delicate are the resources whose bodies are secrets, or often have some in them.
var delicate = map[resourceName]bool{
	{"", "secrets"}:                           true,
	{"", "configmaps"}:                        true,
	{"", "serviceaccounts/token"}:             true,
	{"authentication.k8s.io", "tokenreviews"}: true,
}

// resourceName names a resource in its group, with a subresource after a slash.
type resourceName struct{ Group, Resource string }

func (req *Request) delicate() bool {
	return req.Object != nil && (delicate[resourceName{req.Object.APIGroup, req.Object.Resource}] ||
		delicate[resourceName{req.Object.APIGroup, path.Join(req.Object.Resource, req.Object.Subresource)}])
}

// names says whether the rule is for this very resource, and not for everything.
func (r *Rule) names(req *Request) bool {
	return slices.ContainsFunc(r.Resources, func(gr GroupResource) bool {
		return gr.Group == req.Object.APIGroup && slices.ContainsFunc(gr.Resources, func(pattern string) bool {
			resource, _, _ := strings.Cut(pattern, "/")
			return resource == req.Object.Resource
		})
	})
}

// trim takes the managed fields out of a body, if the policy wants that. What is no object stays as
// it is.
func (d *decision) trim(data []byte) json.RawMessage {
	if !d.omitManagedFields {
		return data
	}
	var object map[string]any
	if json.Unmarshal(data, &object) != nil {
		return data
	}
	withoutManagedFields(object)
	items, _ := object["items"].([]any)
	for _, item := range items {
		if object, ok := item.(map[string]any); ok {
			withoutManagedFields(object)
		}
	}
	trimmed, err := json.Marshal(object)
	if err != nil {
		return data
	}
	return trimmed
}

func withoutManagedFields(object map[string]any) {
	if metadata, ok := object["metadata"].(map[string]any); ok {
		delete(metadata, "managedFields")
	}
}
