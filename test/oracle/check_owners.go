package main

import (
	"fmt"
	"strings"
)

// checkOwners is C13, of every write that happened, acknowledged or not.
func checkOwners(v *view) []string {
	var bad []string
	tokens := v.tokens()
	for i := range v.Ops {
		op := &v.Ops[i]
		ver := tokens[op.token()]
		if ver == nil || op.Manager == "" {
			continue
		}
		before, _ := v.held(ver.Key, ver.Revision-1)
		want := op.after(before)
		switch {
		case len(want.conflicts) > 0 && !op.Force:
			bad = append(bad, fmt.Sprintf("%s took %s from others of %s, whose owners were %s: %s", ver, strings.Join(want.conflicts, ", "), before, before.Owners, op))
		case want.refused == "" && ver.Owners != want.owners:
			bad = append(bad, fmt.Sprintf("%s has the owners %q, want %q: %s", ver, ver.Owners, want.owners, op))
		case want.refused == "" && ver.Content != want.Content && op.Outcome == Unknown:
			bad = append(bad, fmt.Sprintf("%s holds %+v, want %+v: %s", ver, ver.Content, want.Content, op))
		}
	}
	return bad
}
