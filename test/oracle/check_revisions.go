package main

import (
	"fmt"
	"math"
)

// checkRevisions is C8. Writes have higher revisions than anything seen before they began. What one
// server shows of any state does not go back, also after a restart. A stream only goes on.
func checkRevisions(v *view) []string {
	var bad []string
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK || !op.written() {
			continue
		}
		if revision, floor := v.made(op), v.clock.floor(op.Start); revision != 0 && revision <= floor {
			bad = append(bad, fmt.Sprintf("a write made revision %d after revision %d had been seen: %s", revision, floor, op))
		}
	}
	return append(append(bad, v.serversGoBack()...), v.streamsGoBack()...)
}

// serversGoBack looks at reads that take any state.
func (v *view) serversGoBack() []string {
	shown := map[int][]moment{}
	for i := range v.Ops {
		op := &v.Ops[i]
		// A touch is answered by etcd, as every write is: any state may be behind it.
		if op.Outcome == OK && (op.Verb == Get || op.Verb == List) && op.Query.Match != Exact {
			shown[op.Server] = append(shown[op.Server], moment{op.End, v.saw(op)})
		}
	}
	for server := range shown {
		shown[server] = growing(shown[server])
	}
	var bad []string
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome != OK || op.Query.Match != Any {
			continue
		}
		floor, text := floor(shown[op.Server], op.Start), ""
		switch {
		case op.Verb == List && op.Revision < floor:
			text = fmt.Sprintf("a list of revision %d", op.Revision)
		case op.Verb == Get && v.untimelyGet(op, floor, math.MaxInt64) != "":
			text = v.untimelyGet(op, floor, math.MaxInt64)
		}
		if text != "" {
			bad = append(bad, fmt.Sprintf("%s, after the same server had shown revision %d: %s", text, floor, op))
		}
	}
	return bad
}

func (v *view) streamsGoBack() []string {
	var bad []string
	for i := range v.Watches {
		w := &v.Watches[i]
		from, text := v.start(w)
		if text != "" || !from.known {
			continue // C6 has it
		}
		reached := from.after
		for _, e := range w.Events[from.first:] {
			if revision := e.Item.Revision; revision < reached || revision == reached && e.Type != Bookmark {
				bad = append(bad, fmt.Sprintf("%s: %s of revision %d after revision %d", w, e.Type, revision, reached))
				break
			}
			reached = e.Item.Revision
		}
	}
	return bad
}
