package main

import (
	"slices"
	"strings"
	"testing"
)

func TestCorrectHistory(t *testing.T) {
	for _, v := range Check(story()) {
		t.Error(v)
	}
	h := story()
	h.Ops[unknownB].Sent = Content{Token: "t4", Group: "blue"} // it did happen
	h.Ops = slices.Delete(h.Ops, patchB, patchB+1)
	for _, v := range Check(h) {
		t.Errorf("with an unknown write that happened: %s", v)
	}
}

// TestBrokenHistories breaks one promise at a time.
func TestBrokenHistories(t *testing.T) {
	for _, c := range []struct {
		name, property, text string
		breaks               func(*History)
	}{
		{"acknowledged write lost", "C1", "not at revision 2", func(h *History) { h.Truth.Versions = h.Truth.Versions[1:] }},
		{"other content written", "C1", "want {Token:t1 Title:other", func(h *History) { h.Ops[createA].Sent.Title = "other" }},
		{"answer differs from what was written", "C1", "is not what was written", func(h *History) { h.Ops[createA].Items[0].Digest = "other" }},
		{"write done twice", "C1", "happened twice", func(h *History) {
			h.Truth.Versions = append(h.Truth.Versions, version(late(b6, 7)))
			h.Truth.Last = 7
		}},
		{"deletion acknowledged twice", "C1", "two deletions", func(h *History) { h.Ops = append(h.Ops, h.Ops[deleteA]) }},
		{"deletion did not happen", "C1", "did not happen", func(h *History) { h.Ops[deleteA].UID = "ub" }},
		{"patch lost another change", "C1", "want {Token:t4 Title:three", func(h *History) { h.Truth.Versions[4].Title = "two" }},

		{"failed write happened", "C2", "by a request that failed", func(h *History) { h.Ops[refusedA].Key, h.Ops[refusedA].Sent.Token = "n/b", "t4" }},
		{"nobody sent it", "C2", "nobody sent", func(h *History) { h.Ops = slices.Delete(h.Ops, patchB, patchB+1) }},
		{"written to another key", "C2", "to another key", func(h *History) { h.Ops[unknownB].Key, h.Ops[unknownB].Sent.Token = "n/c", "t4" }},
		{"failed deletion happened", "C2", "more deletions", func(h *History) { h.Ops[deleteA].Outcome = Failed }},

		{"object that never was", "C3", "never was", func(h *History) { h.Ops[getB].Items[0].Digest = "other" }},
		{"newer item in an exact list", "C3", "item 0 is n/b@6", func(h *History) { h.Ops[pageTwo].Items[0] = b6 }},
		{"item missing", "C3", "n/b@6 (t4) is missing", func(h *History) { h.Ops[listAll].Items = nil }},
		{"deleted item", "C3", "should not be there", func(h *History) { h.Ops[listAny].Items = []Item{b6, b4} }},
		{"items in wrong order", "C3", "item 0 is", func(h *History) { slices.Reverse(h.Ops[listRed].Items) }},
		{"exact list of another revision", "C3", "want exactly revision 3", func(h *History) { h.Ops[listExact].Revision = 4 }},
		{"list older than asked for", "C3", "want revision 5", func(h *History) { h.Ops[listRed].Query.Revision = 5 }},
		{"page without continuation", "C3", "no continuation", func(h *History) { h.Ops[pageOne].More, h.Ops[pageOne].Remaining = false, -1 }},
		{"last page with continuation", "C3", "nothing follows", func(h *History) { h.Ops[pageTwo].More = true }},
		{"wrong number of remaining items", "C3", "1 items follow, not 2", func(h *History) { h.Ops[pageOne].Remaining = 2 }},
		{"item that no longer matches", "C3", "n/a@3 (t2) should not be there", func(h *History) { h.Ops[listRed].Query.Group = "blue" }},

		{"stale get", "C4", "was replaced at revision 6", func(h *History) { h.Ops[getB].Items[0] = b4 }},
		{"stale not found", "C4", "not found, although", func(h *History) { h.Ops[getB].Items = nil }},
		{"stale list", "C4", "had been seen before it began", func(h *History) { h.Ops[listAll].Revision, h.Ops[listAll].Items = 4, []Item{a3, b4} }},
		{"read from the future", "C4", "was read before", func(h *History) { h.Ops[getB].Start, h.Ops[getB].End = 0, ms }},
		{"get older than asked for", "C4", "had been seen or asked for", func(h *History) { h.Ops[getAnyB].Query = Query{Match: NotOlderThan, Revision: 6} }},

		{"two updates of one version", "C5", "two writes on top of", func(h *History) { h.Ops[refusedA].Outcome, h.Ops[refusedA].Items = OK, []Item{a3} }},
		{"update of a version that was gone", "C5", "expected revision 1", func(h *History) { h.Ops[updateA].Expect = 1 }},
		{"deletion of a version that was gone", "C5", "expected revision 2", func(h *History) { h.Ops[deleteA].Expect = 2 }},

		{"event missing", "C6", "want DELETED n/a@3", func(h *History) { dropEvent(h, watchAll, 3) }},
		{"last event missing", "C6", "nothing came any more", func(h *History) { dropEvent(h, watchRed, 3) }},
		{"event twice", "C6", "came MODIFIED n/a@3", func(h *History) { repeatEvent(h, watchRed, 0) }},
		{"events swapped", "C6", "came ADDED n/b@4", func(h *History) { swapEvents(h, watchRed) }},
		{"deletion with the old revision", "C6", "want DELETED", func(h *History) { h.Watches[watchAll].Events[3].Item.Revision = 3 }},
		{"deletion with the new object", "C6", "want DELETED n/b@4", func(h *History) { h.Watches[watchRed].Events[3].Item = b6 }},
		{"wrong type", "C6", "want ADDED", func(h *History) { h.Watches[watchRed].Events[1].Type = Modified }},
		{"event before the start", "C6", "came MODIFIED", func(h *History) { h.Watches[watchAll].From = 3 }},
		{"event out of scope", "C6", "came MODIFIED", func(h *History) { h.Watches[watchAll].Scope.Name = "b" }},
		{"initial event missing", "C6", "is missing", func(h *History) { dropEvent(h, watchInitial, 1) }},
		{"initial events too old", "C6", "want 6 at least", func(h *History) { h.Watches[watchInitial].Began = 100 * ms }},
		{"initial events never ended", "C6", "never ended", func(h *History) { h.Watches[watchInitial].Events = h.Watches[watchInitial].Events[:2] }},
		{"initial events of no state", "C6", "no state explains", func(h *History) { dropEvent(h, watchLegacy, 0) }},
		{"event of before now", "C6", "had been seen before the watch began", func(h *History) {
			h.Watches[watchNow].Events = append([]Event{{Type: Deleted, At: 103 * ms, Item: late(a3, 5)}}, h.Watches[watchNow].Events...)
		}},
		{"event after now missing", "C6", "nothing came any more", func(h *History) { h.Watches[watchNow].Events = nil }},

		{"bookmark ahead of its events", "C7", "came before DELETED", func(h *History) { h.Watches[watchAll].Events[2].Item.Revision = 5 }},
		{"bookmark goes back", "C7", "came behind revision 6", func(h *History) { h.Watches[watchAll].Events[5].Item.Revision = 5 }},
		{"old event behind a bookmark", "C7", "came behind a bookmark", func(h *History) {
			w := &h.Watches[watchAll]
			w.Events = slices.Insert(w.Events, 3, w.Events[0])
		}},
		{"bookmark of the future", "C7", "no such revision", func(h *History) {
			w := &h.Watches[watchAll]
			w.Events, w.Open = []Event{mark(20*ms, 2), mark(39*ms, 4)}, false
			w.Scope.Name = "c"
		}},

		{"write with an old revision", "C8", "made revision 6 after revision 6", func(h *History) { h.Ops[patchB].Start = 200 * ms }},
		{"server goes back", "C8", "after the same server had shown revision 6", func(h *History) { h.Ops[listAny].Revision, h.Ops[listAny].Items = 4, []Item{a3, b4} }},
		{"server's object goes back", "C8", "n/b@4 (t3) was replaced", func(h *History) { h.Ops[getAnyB].Start = 200 * ms }},
		{"stream goes back", "C8", "MODIFIED of revision 3 after revision 3", func(h *History) { repeatEvent(h, watchRed, 0) }},

		{"cache differs", "C9", "server 0 holds something else", func(h *History) { h.Finals[0].Items = []Item{b6, b4} }},
		{"members differ", "C9", "members of etcd differ", func(h *History) { h.Members[1].Hash++ }},
		{"watch of etcd behind", "C9", "etcd sent no more", func(h *History) { h.Finals[1].Revision = 7 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := story()
			c.breaks(h)
			found := Check(h)
			if !slices.ContainsFunc(found, func(v Violation) bool { return v.Property == c.property && strings.Contains(v.Text, c.text) }) {
				t.Errorf("no %s with %q in %v", c.property, c.text, found)
			}
		})
	}
}

// TestBookmarkOfNow has a watch that begins now and has nothing to say but where it began.
func TestBookmarkOfNow(t *testing.T) {
	for revision, want := range map[int64]int{5: 0, 4: 1} {
		h := story()
		w := &h.Watches[watchNow]
		w.Events, w.Open = []Event{mark(58*ms, revision)}, false
		if found := Check(h); len(found) != want {
			t.Errorf("revision %d: %v", revision, found)
		}
	}
}

// TestTouch has a write that changes nothing: it is a read of the newest state, but none of what
// the server remembers.
func TestTouch(t *testing.T) {
	touch := func(expect int64, items ...Item) Op {
		return Op{Verb: Touch, Start: 80 * ms, End: 85 * ms, Outcome: OK, Key: "n/b", Expect: expect, Items: items, Query: Query{Match: Latest}}
	}
	for _, c := range []struct {
		op   Op
		want string
	}{
		{touch(0, b6), ""}, {touch(6, b6), ""}, {touch(0, b4), "C4"}, {touch(4, b6), "C3"}, {touch(0), "C4"},
	} {
		h := story()
		h.Ops = append(h.Ops, c.op)
		found := Check(h)
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) == 0 || found[0].Property != c.want) {
			t.Errorf("want %q: %v", c.want, found)
		}
	}
	h := story()
	h.Ops = append(h.Ops, touch(0, b6))
	h.Ops[listAny].Revision, h.Ops[listAny].Items, h.Ops[getAnyB].Start = 5, []Item{b4}, 90*ms
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Verb != Touch {
			op.Server = i
		}
	}
	h.Ops[listAny].Server = 0
	for _, v := range Check(h) {
		t.Error(v)
	}
}

func dropEvent(h *History, watch, i int) {
	w := &h.Watches[watch]
	w.Events = slices.Delete(w.Events, i, i+1)
}

func repeatEvent(h *History, watch, i int) {
	w := &h.Watches[watch]
	w.Events = slices.Insert(w.Events, i, w.Events[i])
}

func swapEvents(h *History, watch int) {
	events := h.Watches[watch].Events
	events[0], events[1] = events[1], events[0]
}

// TestUnfinishedWatches has streams that were cut off: what they did not deliver is no violation.
func TestUnfinishedWatches(t *testing.T) {
	h := story()
	for i := range h.Watches {
		for n := range len(h.Watches[i].Events) + 1 {
			cut := story()
			w := &cut.Watches[i]
			w.Events, w.Open = w.Events[:n], false
			for _, v := range Check(cut) {
				t.Errorf("watch %d after %d events: %s", i, n, v)
			}
		}
	}
}
