package main

import "fmt"

// checkFinals is C9.
func checkFinals(v *view) []string {
	var bad []string
	for _, final := range v.Finals {
		s := v.states()
		s.to(final.Revision)
		if final.Revision > v.Truth.Last {
			bad = append(bad, fmt.Sprintf("%s is at revision %d, but etcd sent no more than revision %d", final.Of, final.Revision, v.Truth.Last))
			continue
		}
		if text := difference(final.Items, s.list(Scope{}, "")); text != "" {
			bad = append(bad, fmt.Sprintf("%s holds something else than etcd at revision %d: %s", final.Of, final.Revision, text))
		}
	}
	for i := 1; i < len(v.Members); i++ {
		a, b := v.Members[0], v.Members[i]
		if a.Revision != b.Revision || a.Hash != b.Hash {
			bad = append(bad, fmt.Sprintf("members of etcd differ: %+v, %+v", a, b))
		}
	}
	return bad
}
