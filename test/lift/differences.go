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

// ofClusterAPI are the kinds whose versions convert by functions in Go.
const ofClusterAPI = "Cluster.*|Machine.*|Kubeadm.*|IPAddress.*|ExtensionConfig"

// reasons are all why our server may judge in another way than the definition.
var reasons = []struct {
	reason string
	rules  []rule
}{
	{"A conversion that a project has written in Go prints the object of another version, which the definition's side of this test can't.", []rule{
		{kinds: ofClusterAPI, differences: "another object", converted: true},
	}},
	{"What is written in an older version has to hold in the stored one, too: the definition looks at that when it is read.", []rule{
		{kinds: ofClusterAPI, differences: "refused only here: .*by the rules of", converted: true},
	}},
	{"A default that is zero is not written into an object where the Go field leaves out what is zero.", []rule{
		{kinds: "XListenerSet", differences: "another object", paths: `(?s).*spec\.listeners\[\d+\]\.port`},
	}},
	{"Of a field that is no pointer and has a default Go can't tell a zero that was sent: it is the default.", []rule{
		{kinds: "Gateway", paths: `(?s).*validation\.mode`, differences: "accepted only here: (?s:.*)mode: Unsupported value: \"\""},
	}},
	{"A duration has to be one, or no client in Go could read it; the definition takes any text.", []rule{
		{differences: "refused only here: .*: time: (invalid|missing|unknown)"},
	}},
	{"gateway-api adds rules with a generator of its own, from comments like <gateway:experimental:validation:…>.", []rule{
		{kinds: "Gateway|.*Route|XListenerSet", differences: "accepted only here: (?s:.*)(one and only one schema|or port must be unique|sectionName must be specified|filter.cors must be nil|Rule name must be unique)"},
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
