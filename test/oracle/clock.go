package main

import (
	"math"
	"slices"
	"sort"
	"time"
)

// clock says which revisions there were at a moment, as far as clients can tell.
type clock struct {
	seen    []moment // what somebody had seen by a time: times and revisions grow
	started []moment // the lowest revision of a write that had not begun by a time: both grow
}

type moment struct {
	at       time.Duration
	revision int64
}

// newClock puts together what all clients saw.
func newClock(v *view) clock {
	tokens := v.tokens()
	var seen, started []moment
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Outcome == OK {
			seen = append(seen, moment{op.End, v.saw(op)})
		}
		if ver := tokens[op.token()]; op.token() != "" && ver != nil {
			started = append(started, moment{op.Start, ver.Revision})
		}
		if gone := v.goneAt(op.UID); op.Verb == Delete && op.Outcome == OK && gone != 0 {
			started = append(started, moment{op.Start, gone})
		}
	}
	for i := range v.Watches {
		w := &v.Watches[i]
		for _, e := range w.Events {
			// A watch may begin after a revision that is still to come, and a bookmark say no more
			// than that.
			if e.Type != Bookmark || w.Start != After || e.Item.Revision > w.From {
				seen = append(seen, moment{e.At, e.Item.Revision})
			}
		}
	}
	return clock{seen: growing(seen), started: ceilings(started)}
}

// growing sorts by time and leaves out what is lower than something before.
func growing(moments []moment) []moment {
	slices.SortFunc(moments, func(a, b moment) int { return int(a.at - b.at) })
	out := moments[:0]
	for _, m := range moments {
		if len(out) == 0 || m.revision > out[len(out)-1].revision {
			out = append(out, m)
		}
	}
	return out
}

// ceilings sorts by time and leaves out what is higher than something after.
func ceilings(moments []moment) []moment {
	slices.SortFunc(moments, func(a, b moment) int { return int(a.at - b.at) })
	out := []moment{}
	lowest := int64(math.MaxInt64)
	for _, m := range slices.Backward(moments) {
		if m.revision < lowest {
			lowest = m.revision
			out = append(out, m)
		}
	}
	slices.Reverse(out)
	return out
}

// floor is the newest revision that somebody had seen before a time.
func (c clock) floor(at time.Duration) int64 { return floor(c.seen, at) }

func floor(seen []moment, at time.Duration) int64 {
	i := sort.Search(len(seen), func(i int) bool { return seen[i].at >= at })
	if i == 0 {
		return 0
	}
	return seen[i-1].revision
}

// ceiling is a revision that was not there yet at a time.
func (c clock) ceiling(at time.Duration) int64 {
	i := sort.Search(len(c.started), func(i int) bool { return c.started[i].at > at })
	if i == len(c.started) {
		return math.MaxInt64
	}
	return c.started[i].revision
}

// tokens returns the first version that each write made. A later version of an object may carry the
// same token only if it is a second effect of the write, which is what C1 and C2 are about.
func (v *view) tokens() map[string]*Version {
	out := map[string]*Version{}
	for i := range v.Truth.Versions {
		ver := &v.Truth.Versions[i]
		if ver.Deleted {
			continue
		}
		for _, token := range ver.tokens() {
			if out[token] == nil {
				out[token] = ver
			}
		}
	}
	return out
}
