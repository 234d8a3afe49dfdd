package main

import (
	"fmt"
	"math"
)

// checkRealTime is C4.
func checkRealTime(v *view) []string {
	var bad []string
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK {
			continue
		}
		// What was known before the request began; for reads that care for less, what they asked
		// for.
		floor, ceiling := int64(0), v.clock.ceiling(op.End)
		switch op.Query.Match {
		case Latest:
			floor = v.clock.floor(op.Start)
		case NotOlderThan:
			floor = op.Query.Revision
		}
		text := ""
		switch op.Verb {
		case Get, Touch:
			text = v.untimelyGet(op, floor, ceiling)
		case List, Collection:
			if op.Query.Match == Latest && op.Revision < floor {
				text = fmt.Sprintf("the list is of revision %d, but revision %d had been seen before it began", op.Revision, floor)
			}
		}
		if newest := v.saw(op); text == "" && newest >= ceiling {
			text = fmt.Sprintf("revision %d was read before revision %d was asked for", newest, ceiling)
		}
		if text != "" {
			bad = append(bad, fmt.Sprintf("%s: %s", text, op))
		}
	}
	return bad
}

// untimelyGet says why an object was not what its key held between two revisions.
func (v *view) untimelyGet(op *Op, floor, ceiling int64) string {
	if len(op.Items) == 0 {
		if !v.absentWithin(op.Key, floor, ceiling-1) {
			held, _ := v.held(op.Key, floor)
			return fmt.Sprintf("not found, although there was %s at revision %d", held, floor)
		}
		return ""
	}
	_, until := v.held(op.Key, op.Items[0].Revision)
	if until <= floor && until != math.MaxInt64 {
		return fmt.Sprintf("%s was replaced at revision %d, and revision %d had been seen or asked for", op.Items[0], until, floor)
	}
	return ""
}
