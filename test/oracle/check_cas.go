package main

import "fmt"

// checkCompareAndSwap is C5.
func checkCompareAndSwap(v *view) []string {
	type version struct {
		key      string
		revision int64
	}
	var bad []string
	deletions := v.deletions()
	first := map[version]*Op{}
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK || op.Expect == 0 || !op.written() {
			continue
		}
		on := version{op.Key, op.Expect}
		if other := first[on]; other != nil {
			bad = append(bad, fmt.Sprintf("two writes on top of %s@%d succeeded: %s, and %s", on.key, on.revision, other, op))
		}
		first[on] = op
		revision := op.sawRevision(deletions)
		before, _ := v.held(op.Key, revision-1)
		if before == nil || before.Revision != op.Expect {
			bad = append(bad, fmt.Sprintf("a write that expected revision %d replaced %s: %s", op.Expect, before, op))
		}
	}
	return bad
}
