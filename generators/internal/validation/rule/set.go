package rule

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// What names of markers begin with, as controller-gen and kube-openapi spell them.
const (
	Kubebuilder = "kubebuilder:validation:"
	OpenAPI     = "k8s:validation:"
)

// Set finds rules by name.
type Set struct {
	byName map[string]Rule
	names  []string // sorted
	others []tag.Definition
}

// NewSet joins families of rules, and tags that are about the run itself.
func NewSet(others []tag.Definition, families ...[]Rule) *Set {
	s := &Set{byName: map[string]Rule{}, others: others}
	for _, r := range slices.Concat(families...) {
		s.byName[r.Name] = r
		s.names = append(s.names, r.Name)
	}
	slices.Sort(s.names)
	return s
}

// Find returns the rule that a name belongs to: its own, or that of the longest name which it
// continues after a colon or bracket, if that one takes fields.
func (s *Set) Find(name string) (Rule, bool) {
	if name == "" {
		return Rule{}, false
	}
	if r, ok := s.byName[name]; ok {
		return r, true
	}
	for end := strings.LastIndexAny(name, ":["); end > 0; end = strings.LastIndexAny(name[:end], ":[") {
		if r, ok := s.byName[name[:end]]; ok && r.Value == Fields {
			return r, true
		}
	}
	return Rule{}, false
}

func (s *Set) suggestion(name string) string {
	if near := tag.Nearest(name, s.names); near != "" {
		return "did you mean +" + near + "?"
	}
	return ""
}

// Definitions are the rules as the table of tags has them, with the tags about the run itself.
func (s *Set) Definitions() []tag.Definition {
	out := slices.Clone(s.others)
	for _, name := range s.names {
		out = append(out, s.byName[name].definition())
	}
	return out
}
