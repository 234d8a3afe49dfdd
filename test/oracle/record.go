package main

import "time"

// History is what clients saw in a run, and what has really happened. Times are since the start of
// the run. The checks do not change it.
type History struct {
	Ops     []Op
	Watches []Watch
	Truth   Truth
	Finals  []Final
	Members []Member
	Outages []Outage // in the order of their ends; those of compaction are not among them
	Hooked  bool     // every write of a book goes by the webhooks
}

// Truth is what etcd says has happened: all versions of all keys, from the empty database on.
type Truth struct {
	Versions []Version // in the order of revisions, of which each has one version at most
	Last     int64     // nothing is missing up to this revision

	// What became of namespaces and their quotas, in the order of revisions. There are none where
	// servers have no namespaces.
	Namespaces []Namespace
	Quotas     []Quota
}

// Namespace is what a namespace was from a revision on.
type Namespace struct {
	Name              string
	Revision          int64
	Terminating, Gone bool
}

// Quota is what the quota of a namespace said from a revision on: how many books there may be, and
// how many there are.
type Quota struct {
	Namespace  string
	Revision   int64
	Hard, Used int64
	Gone       bool
}

// Version is what a key held from a revision on.
type Version struct {
	Key      string // namespace/name
	Revision int64
	Deleted  bool
	Object   // of a deletion: nothing
}

// Object is what is compared of an object.
type Object struct {
	UID      string
	Digest   string // of everything but the resourceVersion
	Deleting bool   // it has a deletionTimestamp
	Owners   string // who owns which of the fields of Content, as owners.String writes it
	Around   string // who owns the maps and the list that fields are in, which may outlast them
	Stamp    string // what a webhook wrote on it
	Content
}

// Content is what clients write. In a patch, an empty field is left as it is; in an apply patch it
// is not named.
type Content struct {
	Token      string // different in each write of a run
	Title      string
	Group      string // a label
	Shelf      string // a selectable field
	Finalizers string // their names, sorted, with commas between them
	// Applied are the tokens of apply patches, each manager's in a field of its own: so they do not
	// always get into each other's way.
	Applied [appliers]string
}

// appliers is how many managers send apply patches.
const appliers = 3

// Item is an object as a client got it.
type Item struct {
	Key      string
	Revision int64 // its resourceVersion
	Object
}

// Verb is what a client asked for.
type Verb string

// What clients ask for, beside watches.
const (
	Create Verb = "create"
	Update Verb = "update"
	Patch  Verb = "patch"
	Apply  Verb = "apply"
	Delete Verb = "delete"
	// Collection is deletecollection.
	Collection Verb = "delete collection"

	// Touch is a write of what is there already: it changes nothing, so that its answer is a read
	// of the newest state.
	Touch Verb = "touch"

	Get  Verb = "get"
	List Verb = "list"
)

// Outcome is what a client may conclude from an answer.
type Outcome string

// Outcomes. After Failed, a write has certainly not happened; after Unknown it may have.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Unknown Outcome = "unknown"
)

// Op is a request and its answer.
type Op struct {
	Client, Server int
	Verb           Verb
	Start, End     time.Duration
	Outcome        Outcome
	Status         int    // of HTTP; 0 without an answer
	Message        string // of an error

	Version   string // of the API
	Key       string
	Sent      Content // create, update, patch, apply
	Finalize  string  // of a patch: "=a,b" sets the finalizers, "+a" adds one, "-a" removes one
	Manager   string  // of a create, update, patch, apply: who owns what it writes
	Force     bool    // of an apply: it takes fields over
	Hasty     bool    // the client, or the server at its wish, gave up within milliseconds
	Dry       bool    // it asked for a dry run, which does nothing: its Outcome is Failed, even if its Status is 200
	Expect    int64   // the resourceVersion that a write stated; 0 for none
	ExpectUID string  // the uid that it stated; "" for none
	Query     Query   // get, list, touch, delete collection

	// UID is what a deletion removed; one that only marked the object has that in Items. A get that
	// was answered with 404 is OK and has no items. A deleted collection has the items as they were
	// in its list.
	UID   string
	Items []Item
	// Revision is a list's, also that of a deleted collection. More says that the server offered a
	// continuation. Remaining is how many items it said would follow; -1 if it did not say.
	Revision  int64
	More      bool
	Remaining int64
}

// Match says how fresh an answer is to be.
type Match string

// Matches.
const (
	Latest       Match = "latest"
	Any          Match = "any"
	NotOlderThan Match = "not older than"
	Exact        Match = "exact"
)

// Query is what a read asked for. Revision belongs to NotOlderThan and Exact. A page other than the
// first begins behind the key After.
type Query struct {
	Scope
	Match    Match
	Revision int64
	After    string
	Limit    int
}

// Scope is which objects are wanted; the zero Scope is all of them. A Group with "!" before it is
// every other one, and none.
type Scope struct {
	Namespace, Name, Group, Shelf string
}

// Start says with what a watch began.
type Start string

// Starts. After: the events after Watch.From. Now: those after the moment of the request. The
// others begin with the objects that are there: in the newest state, any state, one not older than
// Watch.From.
const (
	After          Start = "after"
	Now            Start = "now"
	InitialLatest  Start = "initial, latest"
	InitialAny     Start = "initial, any"
	InitialAtLeast Start = "initial, not older than"
)

// Watch is one stream. If it is Open, it was so until the end of the run, and had time to deliver
// everything.
type Watch struct {
	Client, Server int
	Version        string // of the API
	Scope          Scope
	Start          Start
	From           int64
	Began, Header  time.Duration // when it was asked for, and when the answer began
	Bookmarks      bool
	Events         []Event
	Open           bool
	End            string
}

// EventType is what an event says has happened.
type EventType string

// Types of events.
const (
	Added    EventType = "ADDED"
	Modified EventType = "MODIFIED"
	Deleted  EventType = "DELETED"
	Bookmark EventType = "BOOKMARK"
)

// Event is one event of a stream. For a bookmark, Item has the revision only. InitialEnd marks the
// bookmark behind the initial events.
type Event struct {
	Type       EventType
	At         time.Duration
	Item       Item
	InitialEnd bool
}

// Final is all that a server, or etcd, held when every fault was over.
type Final struct {
	Of       string
	Revision int64
	Items    []Item
}

// Member is the hash that a member of etcd has of everything up to a revision.
type Member struct {
	Name     string
	Revision int64
	Hash     uint32
}
