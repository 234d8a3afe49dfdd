package main

import "time"

// The history that the tests of the checks begin with: five writes by two clients, and what a
// correct server shows of them.
//
//	revision   2          3          4          5          6
//	n/a        created    updated               deleted
//	n/b                              created               patched: red becomes blue

const ms = time.Millisecond

func object(uid, token, title, group string) Object {
	return Object{UID: uid, Digest: "digest of " + token, Content: Content{Token: token, Title: title, Group: group}}
}

var (
	a2 = Item{"n/a", 2, object("ua", "t1", "one", "red")}
	a3 = Item{"n/a", 3, object("ua", "t2", "two", "red")}
	b4 = Item{"n/b", 4, object("ub", "t3", "three", "red")}
	b6 = Item{"n/b", 6, object("ub", "t4", "three", "blue")}
)

// late is an item as a deletion shows it: as it was, with the revision of the event.
func late(item Item, revision int64) Item {
	item.Revision = revision
	return item
}

func version(item Item) Version {
	return Version{Key: item.Key, Revision: item.Revision, Object: item.Object}
}

func mark(at time.Duration, revision int64) Event {
	return Event{Type: Bookmark, At: at, Item: Item{Revision: revision}}
}

// Indices of the ops and watches of story.
const (
	createA = iota
	updateA
	createB
	deleteA
	patchB
	refusedA
	unknownB
	getB
	getAnyB
	goneA
	listAll
	listExact
	listRed
	listAny
	pageOne
	pageTwo
)

const (
	watchAll = iota
	watchRed
	watchInitial
	watchLegacy
	watchNow
)

// story returns a new copy.
func story() *History {
	write := func(at int, verb Verb, item Item, expect int64) Op {
		return Op{Server: at % 2, Client: at, Verb: verb, Start: time.Duration(10*at) * ms, End: time.Duration(10*at+5) * ms,
			Outcome: OK, Key: item.Key, Sent: item.Content, Expect: expect, Items: []Item{item}, Remaining: -1}
	}
	read := func(at int, verb Verb, q Query, revision int64, items ...Item) Op {
		return Op{Verb: verb, Start: time.Duration(10*at) * ms, End: time.Duration(10*at+5) * ms, Outcome: OK, Query: q, Revision: revision, Items: items, Remaining: -1}
	}
	get := func(at int, key string, match Match, items ...Item) Op {
		op := read(at, Get, Query{Match: match}, 0, items...)
		op.Key = key
		return op
	}
	h := &History{Truth: Truth{Last: 6, Versions: []Version{version(a2), version(a3), version(b4), {Key: "n/a", Revision: 5, Deleted: true}, version(b6)}}}

	patch := write(6, Patch, b6, 0)
	patch.Sent = Content{Token: "t4", Group: "blue"}
	one := read(13, List, Query{Match: Latest, Limit: 1, Scope: Scope{Namespace: "n"}}, 4, a3)
	one.More, one.Remaining, one.Start, one.End = true, 1, 45*ms, 49*ms
	h.Ops = []Op{
		write(2, Create, a2, 0),
		write(3, Update, a3, 2),
		write(4, Create, b4, 0),
		{Verb: Delete, Start: 50 * ms, End: 55 * ms, Outcome: OK, Key: "n/a", UID: "ua", Expect: 3},
		patch,
		{Verb: Update, Start: 60 * ms, End: 65 * ms, Outcome: Failed, Status: 404, Key: "n/a", Sent: Content{Token: "t5"}, Expect: 2},
		{Verb: Update, Start: 60 * ms, End: 65 * ms, Outcome: Unknown, Status: 504, Key: "n/b", Sent: Content{Token: "t6"}, Expect: 4},
		get(7, "n/b", Latest, b6),
		get(7, "n/b", Any, b4),
		get(8, "n/a", Latest),
		read(9, List, Query{Match: Latest}, 6, b6),
		read(9, List, Query{Match: Exact, Revision: 3}, 3, a3),
		read(9, List, Query{Match: NotOlderThan, Revision: 4, Scope: Scope{Group: "red"}}, 4, a3, b4),
		read(10, List, Query{Match: Any}, 6, b6),
		one,
		read(11, List, Query{Match: Exact, Revision: 4, After: "n/a", Limit: 1, Scope: Scope{Namespace: "n"}}, 4, b4),
	}
	h.Watches = []Watch{
		{Start: After, From: 2, Open: true, Bookmarks: true, Events: []Event{
			{Type: Modified, At: 100 * ms, Item: a3}, {Type: Added, At: 101 * ms, Item: b4}, mark(102*ms, 4),
			{Type: Deleted, At: 103 * ms, Item: late(a3, 5)}, {Type: Modified, At: 104 * ms, Item: b6}, mark(105*ms, 6)}},
		{Start: After, From: 2, Open: true, Scope: Scope{Group: "red"}, Events: []Event{
			{Type: Modified, At: 100 * ms, Item: a3}, {Type: Added, At: 101 * ms, Item: b4},
			{Type: Deleted, At: 103 * ms, Item: late(a3, 5)}, {Type: Deleted, At: 104 * ms, Item: late(b4, 6)}}},
		{Start: InitialLatest, Began: 46 * ms, Header: 47 * ms, Open: true, Bookmarks: true, Events: []Event{
			{Type: Added, At: 48 * ms, Item: a3}, {Type: Added, At: 48 * ms, Item: b4}, {Type: Bookmark, At: 48 * ms, Item: Item{Revision: 4}, InitialEnd: true},
			{Type: Deleted, At: 103 * ms, Item: late(a3, 5)}, {Type: Modified, At: 104 * ms, Item: b6}}},
		{Start: InitialAny, Began: 46 * ms, Header: 47 * ms, Open: true, Events: []Event{
			{Type: Added, At: 48 * ms, Item: a3}, {Type: Added, At: 48 * ms, Item: b4},
			{Type: Deleted, At: 103 * ms, Item: late(a3, 5)}, {Type: Modified, At: 104 * ms, Item: b6}}},
		{Start: Now, Began: 56 * ms, Header: 57 * ms, Open: true, Events: []Event{{Type: Modified, At: 104 * ms, Item: b6}}},
	}
	h.Finals = []Final{{Of: "server 0", Revision: 6, Items: []Item{b6}}, {Of: "etcd", Revision: 6, Items: []Item{b6}}}
	h.Members = []Member{{"m1", 6, 7}, {"m2", 6, 7}}
	return h
}
