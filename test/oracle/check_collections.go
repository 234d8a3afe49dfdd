package main

import "fmt"

// checkCollections is C14, of the deletions of collections that were acknowledged. One that failed
// may have deleted some of it, which is for C2.
func checkCollections(v *view) []string {
	var bad []string
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Verb != Collection || op.Outcome != OK {
			continue
		}
		s := v.states()
		s.to(op.Revision)
		listed := s.list(op.Query.Scope, "")
		if op.Query.Limit > 0 {
			listed = listed[:min(op.Query.Limit, len(listed))]
		}
		if text := v.wrongCollection(op, listed); text != "" {
			bad = append(bad, fmt.Sprintf("%s: %s", text, op))
		}
	}
	return bad
}

// wrongCollection compares what a request says that it deleted with its list, and with what
// happened. What it leaves out was gone when it came to it.
func (v *view) wrongCollection(op *Op, listed []*Version) string {
	items := op.Items
	low, high := v.clock.floor(op.Start), v.clock.ceiling(op.End)
	for _, ver := range listed {
		l := v.lives[ver.UID]
		goneBy := l.gone != nil && l.gone.Revision < high
		if len(items) == 0 || items[0].Key != ver.Key {
			if !goneBy {
				return fmt.Sprintf("%s was in the list of revision %d, and was left", ver, op.Revision)
			}
			continue
		}
		switch {
		case !items[0].is(ver):
			return fmt.Sprintf("the answer has %s, the list of revision %d has %s", items[0], op.Revision, ver)
		case l.gone != nil && l.gone.Revision <= low:
			return fmt.Sprintf("%s is said to be deleted, but was gone at revision %d before that began", ver, l.gone.Revision)
		case !goneBy && !l.markedBy(high):
			return fmt.Sprintf("%s is said to be deleted, and was not", ver)
		}
		items = items[1:]
	}
	if len(items) > 0 {
		return fmt.Sprintf("%s is said to be deleted, and was not in the list of revision %d", items[0], op.Revision)
	}
	return ""
}
