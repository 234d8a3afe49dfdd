package validation

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/tag"
)

// ruleSet finds rules by name.
type ruleSet struct {
	byName map[string]rule
	names  []string // sorted
}

// newRuleSet joins all families.
func newRuleSet() *ruleSet {
	s := &ruleSet{byName: map[string]rule{}}
	for _, family := range [][]rule{
		presenceRules(), lengthRules(), numberRules(), sizeRules(), formatRules(), enumRules(), compareRules(), updateRules(),
		listRules(), eachRules(), itemRules(), subfieldRules(), unionRules(), modeRules(), dependentRules(), optionRules(),
		levelRules(), opaqueRules(), customRules(), fixedRules(),
		markerLimitRules(), markerStringRules(), markerListRules(), markerPresenceRules(), markerGroupRules(), markerShapeRules(), celRules(), markerListTypeRules(),
		schemaRules(),
	} {
		for _, r := range family {
			s.byName[r.name] = r
			s.names = append(s.names, r.name)
		}
	}
	slices.Sort(s.names)
	return s
}

// find returns the rule that a name belongs to: its own, or that of the longest name which it continues after a colon
// or bracket, if that one takes fields.
func (s *ruleSet) find(name string) (rule, bool) {
	if name == "" {
		return rule{}, false
	}
	if r, ok := s.byName[name]; ok {
		return r, true
	}
	for end := strings.LastIndexAny(name, ":["); end > 0; end = strings.LastIndexAny(name[:end], ":[") {
		if r, ok := s.byName[name[:end]]; ok && r.value == fields {
			return r, true
		}
	}
	return rule{}, false
}

func (s *ruleSet) suggestion(name string) string {
	if near := tag.Nearest(name, s.names); near != "" {
		return "did you mean +" + near + "?"
	}
	return ""
}

// definitions are the rules as the table of tags has them, with the tags about the run itself.
func (s *ruleSet) definitions() []tag.Definition {
	out := slices.Concat(runTags, packageTags)
	for _, name := range s.names {
		out = append(out, s.byName[name].definition())
	}
	return out
}
