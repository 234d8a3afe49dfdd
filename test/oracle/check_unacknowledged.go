package main

import "fmt"

// checkUnacknowledged is C2.
func checkUnacknowledged(v *view) []string {
	sent := map[string]*Op{}
	possible := map[string]int{} // deletions of a key that may have happened
	var bad []string
	for i := range v.Ops {
		op := &v.Ops[i]
		switch {
		case op.Verb == Delete && op.Outcome != Failed:
			possible[op.Key]++
		case op.Sent.Token != "":
			sent[op.Sent.Token] = op
		}
	}
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		if ver.Deleted {
			if possible[ver.Key]--; possible[ver.Key] < 0 {
				bad = append(bad, fmt.Sprintf("%s: more deletions happened than may have succeeded", ver))
			}
			continue
		}
		switch op := sent[ver.Token]; {
		case op == nil:
			bad = append(bad, fmt.Sprintf("nobody sent %s", ver))
		case op.Key != ver.Key:
			bad = append(bad, fmt.Sprintf("%s was written to another key: %s", ver, op))
		case op.Outcome == Failed:
			bad = append(bad, fmt.Sprintf("%s was written by a request that failed: %s", ver, op))
		}
	}
	return bad
}
