package main

import (
	"fmt"
	"math"
)

// checkWatches is C6.
func checkWatches(v *view) []string {
	var bad []string
	for i := range v.Watches {
		w := &v.Watches[i]
		started, text := v.start(w)
		if text == "" {
			text = v.wrongEvents(w, started)
		}
		if text != "" {
			bad = append(bad, fmt.Sprintf("%s: %s", w, text))
		}
	}
	return bad
}

// started is where the changes of a watch begin: after a revision, and in Events from first on.
type started struct {
	after int64
	first int
	known bool
}

// wrongEvents compares the changes, up to the last that came.
func (v *view) wrongEvents(w *Watch, from started) string {
	if !from.known {
		return ""
	}
	want := v.changes(w.Scope, from.after)
	last := from.after
	for _, e := range w.Events[from.first:] {
		if e.Type == Bookmark {
			continue
		}
		if len(want) == 0 {
			return fmt.Sprintf("unexpected %s %s after revision %d", e.Type, e.Item, last)
		}
		if !want[0].is(e) {
			return fmt.Sprintf("after revision %d came %s %s, want %s", last, e.Type, e.Item, want[0])
		}
		last, want = e.Item.Revision, want[1:]
	}
	if w.Open && len(want) > 0 {
		return fmt.Sprintf("after revision %d nothing came any more, want %s and %d more", last, want[0], len(want)-1)
	}
	return ""
}

// change is an event that a watch must deliver.
type change struct {
	typ      EventType
	revision int64
	object   *Version // of a deletion: the last that the watcher could see
}

func (c change) is(e Event) bool {
	return e.Type == c.typ && e.Item.Key == c.object.Key && e.Item.Revision == c.revision && e.Item.Digest == c.object.Digest
}

func (c change) String() string {
	return fmt.Sprintf("%s %s at revision %d", c.typ, c.object, c.revision)
}

// changes returns the events of a scope after a revision. What comes to match is added, what ceases
// to is deleted.
func (v *view) changes(scope Scope, after int64) []change {
	var out []change
	for i := v.after(after); i < len(v.Truth.Versions); i++ {
		ver := &v.Truth.Versions[i]
		before := v.before[i]
		switch was, is := scope.matches(before), scope.matches(ver); {
		case was && is:
			out = append(out, change{Modified, ver.Revision, ver})
		case is:
			out = append(out, change{Added, ver.Revision, ver})
		case was:
			out = append(out, change{Deleted, ver.Revision, before})
		}
	}
	return out
}

// start finds out where the changes begin, and says what is wrong with what comes before them.
func (v *view) start(w *Watch) (started, string) {
	switch w.Start {
	case After:
		return started{after: w.From, known: true}, ""
	case Now:
		return v.startNow(w)
	}
	low := int64(0)
	switch w.Start {
	case InitialLatest:
		low = v.clock.floor(w.Began)
	case InitialAtLeast:
		low = w.From
	}
	for i, e := range w.Events {
		if e.InitialEnd {
			return v.startMarked(w, i, low)
		}
	}
	if w.Bookmarks {
		return started{}, v.unfinishedInitial(w)
	}
	return v.startUnmarked(w, low)
}

// startNow is of a watch without initial events: it begins at a revision that was the newest during
// the request.
func (v *view) startNow(w *Watch) (started, string) {
	from := min(v.clock.ceiling(w.Header)-1, v.Truth.Last)
	if len(w.Events) > 0 {
		// A bookmark may be of the very revision at which the watch began.
		first := w.Events[0].Item.Revision
		if w.Events[0].Type != Bookmark {
			first--
		}
		from = min(from, first)
		if floor := v.clock.floor(w.Began); first < floor {
			return started{}, fmt.Sprintf("the first event is of revision %d, but revision %d had been seen before the watch began", w.Events[0].Item.Revision, floor)
		}
	}
	return started{after: from, known: true}, ""
}

// startMarked is of a watch that says where its initial events end, which is at Events[end].
func (v *view) startMarked(w *Watch, end int, low int64) (started, string) {
	revision := w.Events[end].Item.Revision
	if revision < low {
		return started{}, fmt.Sprintf("the initial events are of revision %d, want %d at least", revision, low)
	}
	s := v.states()
	s.to(revision)
	if text := wrongInitial(w.Events[:end], s.list(w.Scope, "")); text != "" {
		return started{}, fmt.Sprintf("initial events of revision %d: %s", revision, text)
	}
	return started{after: revision, first: end + 1, known: true}, ""
}

// wrongInitial compares initial events with a state.
func wrongInitial(events []Event, want []*Version) string {
	items := make([]Item, len(events))
	for i, e := range events {
		if e.Type != Added {
			return fmt.Sprintf("%s %s among them", e.Type, e.Item)
		}
		items[i] = e.Item
	}
	return difference(items, want)
}

// unfinishedInitial is of a watch that ended before its initial events did: each must have been at
// some time.
func (v *view) unfinishedInitial(w *Watch) string {
	if w.Open {
		return "the initial events never ended"
	}
	for _, e := range w.Events {
		if e.Type != Added || !e.Item.is(v.at(e.Item.Revision)) {
			return fmt.Sprintf("initial event %s %s never was", e.Type, e.Item)
		}
	}
	return ""
}

// startUnmarked is of a watch that does not say where its initial events end: there must be a
// revision, and a number of events, that explain them.
func (v *view) startUnmarked(w *Watch, low int64) (started, string) {
	if !w.Open && len(w.Events) == 0 {
		return started{}, ""
	}
	for n := range len(w.Events) + 1 {
		if n > 0 && w.Events[n-1].Type != Added {
			break
		}
		high := int64(math.MaxInt64)
		if n < len(w.Events) {
			high = w.Events[n].Item.Revision - 1
		}
		if revision, ok := v.explained(w, n, low, high); ok {
			from := started{after: revision, first: n, known: true}
			if v.wrongEvents(w, from) == "" {
				return from, ""
			}
		}
	}
	if !w.Open && v.unfinishedInitial(w) == "" {
		return started{}, "" // it may have ended in the middle of them
	}
	return started{}, "no state explains the first events"
}

// explained looks for the last revision from low to high at which the scope held what the first n
// events say.
func (v *view) explained(w *Watch, n int, low, high int64) (int64, bool) {
	for _, e := range w.Events[:n] {
		low = max(low, e.Item.Revision)
	}
	found := int64(-1)
	s := v.states()
	s.to(low)
	for at := low; at <= high; {
		if wrongInitial(w.Events[:n], s.list(w.Scope, "")) == "" {
			found = at
		}
		if s.next == len(v.Truth.Versions) {
			break
		}
		at = v.Truth.Versions[s.next].Revision
		s.to(at)
	}
	return found, found >= 0
}

func (w *Watch) String() string {
	return fmt.Sprintf("watch of client %d, server %d, begun at %v, %s %d, %+v, ended: %s", w.Client, w.Server, w.Began, w.Start, w.From, w.Scope, w.End)
}
