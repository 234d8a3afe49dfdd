package lift

import (
	"regexp"
	"slices"
)

// rule says which differences a reason is for. A regular expression that is "" matches everything; each matches from the beginning.
type rule struct {
	kinds, verbs, paths, differences string
}

// reasons are all why our server may judge in another way than the definition.
var reasons = []struct {
	reason string
	rules  []rule
}{}

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
	return begins(f.kind.Kind, r.kinds) && begins(f.verb, r.verbs) && begins(f.path, r.paths) && begins(f.difference, r.differences)
}
