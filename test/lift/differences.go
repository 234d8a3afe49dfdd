package lift

import (
	"regexp"
	"slices"
)

// rule says which differences a reason is for. A regular expression that is "" matches everything;
// each matches from the beginning.
type rule struct {
	kinds, verbs, paths, differences string
	// converted is about versions that are not stored alone.
	converted bool
}

// reasons are all why our server may judge in another way than the definition.
var reasons = []struct {
	reason string
	rules  []rule
}{
	{"An object in another version than the stored one is printed from its Go value, which writes a list without omitempty as null.", []rule{
		{differences: "another object", converted: true},
	}},
	{"A duration has to be one, or no client in Go could read it; the definition takes any text.", []rule{
		{differences: "refused only here: .*: time: (invalid|missing|unknown)"},
	}},
	{"gateway-api adds rules with a generator of its own, from comments like <gateway:experimental:validation:…>.", []rule{
		{kinds: "Gateway|.*Route|XListenerSet", differences: "accepted only here: (?s:.*)(one and only one schema|or port must be unique|sectionName must be specified|filter.cors must be nil)"},
	}},
}

// reasonFor is why a difference may be, "" if it may not.
func reasonFor(f finding) string {
	for _, known := range reasons {
		if slices.ContainsFunc(known.rules, func(r rule) bool { return r.matches(f) }) {
			return known.reason
		}
	}
	return ""
}

func (r rule) matches(f finding) bool {
	begins := func(text, pattern string) bool { return regexp.MustCompile("^(" + pattern + ")").MatchString(text) }
	return begins(f.kind.Kind, r.kinds) && begins(f.verb, r.verbs) && begins(f.path, r.paths) && begins(f.difference, r.differences) && !(r.converted && f.stored)
}
