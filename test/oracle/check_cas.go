package main

import "fmt"

// checkCompareAndSwap is C5.
func checkCompareAndSwap(v *view) []string {
	type version struct {
		key      string
		revision int64
	}
	var bad []string
	first := map[version]*Op{}
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK || op.Expect == 0 && op.ExpectUID == "" || !op.written() {
			continue
		}
		before, changed := v.replaced(op)
		if op.ExpectUID != "" && (before == nil || before.UID != op.ExpectUID) {
			bad = append(bad, fmt.Sprintf("a write that expected uid %s replaced %s: %s", op.ExpectUID, before, op))
		}
		if op.Expect == 0 || before == nil && op.Verb == Apply { // which makes what is not there, whatever it expects
			continue
		}
		if before == nil || before.Revision != op.Expect {
			bad = append(bad, fmt.Sprintf("a write that expected revision %d replaced %s: %s", op.Expect, before, op))
		}
		if !changed {
			continue
		}
		on := version{op.Key, op.Expect}
		if other := first[on]; other != nil {
			bad = append(bad, fmt.Sprintf("two writes on top of %s@%d succeeded: %s, and %s", on.key, on.revision, other, op))
		}
		first[on] = op
	}
	return bad
}
