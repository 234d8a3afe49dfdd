package storage

import (
	"context"
	"slices"
	"time"
)

// Interface is a store of entries. All methods may be called from any goroutine.
//
// Keys are paths below the store's root: they begin with a slash, have no empty, "." or ".." segment, and do not
// end in a slash (see Join). A prefix is a key followed by one slash; "/" is everything below the root. A malformed
// one is CodeInvalidKey.
//
// Every method returns errors of type *Error where a caller may want to branch (see CodeOf). When ctx ends, errors.Is
// finds the context's error. After CodeUnknown a write may or may not have happened; that is also what a write returns
// whose context ended while the transaction was on its way.
type Interface interface {
	// Get returns the entry at key, or CodeNotFound. A poisoned entry (Entry.Err) is returned as CodeCorrupt.
	Get(ctx context.Context, key string, opts GetOptions) (Entry, error)

	// List returns the entries below prefix in key order, all of one revision. Poisoned entries are in the page
	// with their Err set: it is for the caller to decide that they fail the list.
	List(ctx context.Context, prefix string, opts ListOptions) (Page, error)

	// Watch follows every change below prefix after opts.After, which may lie in the future: changes up to it are
	// skipped. A revision that is compacted away fails with CodeCompacted, here or from Next. ctx bounds the opening
	// only; the watch lives until Close.
	Watch(ctx context.Context, prefix string, opts WatchOptions) (Watcher, error)

	// Create writes value at key, which must not exist (else CodeExists). The store keeps value, so the caller
	// must not touch it again. No other writer makes the same value at the same key (an object has a uid): a store
	// whose transaction got no answer takes an equal value that it finds there for its own. The operations in with are part of the same transaction: if one of them does not
	// meet its expected revision nothing is written and the error is CodeConflict with the key of that operation.
	Create(ctx context.Context, key string, value []byte, with ...Op) (Entry, error)

	// GuaranteedUpdate replaces the value at key by what try makes of it, and tries again with the newer value
	// when another writer (of key, or of the key of an operation that try returned) came first, with back-off
	// until ctx ends. Without an entry it fails with CodeNotFound, with a poisoned one with CodeCorrupt; try is
	// not asked then. An error of try is returned as it is and ends the update. If try returns the bytes
	// it was given and no operations, nothing is written and the current entry is returned, unless that entry is Stale.
	GuaranteedUpdate(ctx context.Context, key string, try TryUpdate) (Entry, error)

	// Delete removes the entry at key, or fails with CodeNotFound. The check sees the current entry (also a poisoned
	// one) in each attempt; its error is returned as it is. A nil check allows every deletion. The result is the
	// last value (a poisoned entry if it was one) with the revision of the deletion.
	Delete(ctx context.Context, key string, check CheckDelete) (Entry, error)

	// Revision returns the current revision of the backing database, linearizably.
	Revision(ctx context.Context) (int64, error)
}

// Entry is one version of one stored object. It is immutable and shared by everyone who reads it: neither Value
// nor anything decoded from it without copying may be modified, pooled or kept by code that does so.
type Entry struct {
	// Key is the path below the store's root.
	Key string
	// Value is the canonical encoding of the object. It holds no resourceVersion: that is Revision.
	Value []byte
	// Revision is the revision of the database at which this version was written (etcd: the mod revision).
	Revision int64
	// Stale says that the database holds something else than Value (another version, another media type, an old
	// key, a missing default). Only a write changes that.
	Stale bool
	// Err poisons the entry: the database has a value here that can't be read, and Value is nil. It is an error
	// for a reader and on a stream, never a gap.
	Err error
}

// GetOptions says how fresh the answer must be.
type GetOptions struct {
	// NotOlderThan is the revision that the answer must have seen; CodeFuture if the store is not there yet. 0: no
	// such floor.
	NotOlderThan int64
	// Any allows an answer from memory that other writers may have overtaken. Without it the answer is linearizable.
	Any bool
}

// Match says how ListOptions.Revision is meant.
type Match int

const (
	// Latest wants the current state, linearizably; Revision is ignored.
	Latest Match = iota
	// Any takes whatever state is at hand; Revision is ignored.
	Any
	// NotOlderThan wants a state at Revision or later; CodeFuture if the store is not there yet.
	NotOlderThan
	// Exact wants the state at Revision, which must be positive: CodeCompacted when it is gone, CodeFuture when it
	// is not there yet.
	Exact
)

// ListOptions selects a page.
type ListOptions struct {
	Match    Match
	Revision int64
	// Start is the first key that may be returned; "" starts at the prefix. It must lie below the prefix, and may be
	// a key with a NUL behind it, which means just after that key.
	Start string
	// Limit is the most entries to return; 0 is all of them.
	Limit int64
	// Where narrows the list, if the store can do that; nil wants every entry.
	Where *Where
}

// Where is a hint that only the entries with one value of an attribute are wanted. A store that keeps an index of the
// attribute leaves others out; every other store returns them all the same. So whoever asks looks at what it gets.
type Where struct {
	// Attribute names what Read reads: two of the same name below one prefix must read the same.
	Attribute string
	Value     string
	// Read returns the attribute of an entry that is not poisoned; ok is false if the entry has none. If it fails, nobody
	// knows, and the entry is never left out; neither is a poisoned one. Read may be called from any goroutine, also
	// much later, and returns quickly. The value may share memory with the entry.
	Read func(Entry) (value string, ok bool, err error)
}

// Page is a part of a prefix at one revision. Entries is never nil.
type Page struct {
	Entries []Entry
	// Revision is the revision of the state that was listed (of the database, not of an entry), never 0.
	Revision int64
	// Remaining is how many entries at or after Start follow the last one of this page. With ListOptions.Where it only says
	// whether there are any.
	Remaining int64
}

// WatchOptions says where a watch starts.
type WatchOptions struct {
	// After is the revision after which events are wanted; it must be positive (a list's revision, or an entry's).
	After int64
	// Progress asks for Bookmark events: sooner or later after a quiet time, also if nothing below the prefix changed.
	Progress bool
	// Prev asks for Event.Prev, and for the last value of what was deleted. Without it a store need not read them, and
	// may leave both out: a cache that holds the versions before has no use for them.
	Prev bool
	// Where narrows the watch, if the store can do that: changes of entries that neither had the value before nor have it
	// after may be left out. nil wants every change.
	Where *Where
}

// Watcher is one reader's position in the history of a prefix. Only one goroutine may use it; Close may be called from any.
type Watcher interface {
	// Next waits until there are events and returns them in revision order, at least one: each change once,
	// none left out. The slice is good until the next call. After an error
	// (CodeCompacted, CodeUnavailable, a context's, ErrClosed) every further call returns it again.
	Next(ctx context.Context) ([]Event, error)
	// Close ends the watch and frees what it holds. It may be called more than once.
	Close()
}

// EventType is what happened to an entry.
type EventType int

const (
	// Created: there was no entry; Event.Prev is zero.
	Created EventType = iota + 1
	// Modified: Event.Prev is the version before.
	Modified
	// Deleted: Event.Entry has the revision of the deletion, and the last value if WatchOptions.Prev asked for it.
	Deleted
	// Bookmark: only Entry.Revision is set, and it is beyond every event and bookmark before it. Every event up to that
	// revision has been returned.
	Bookmark
)

// Event is one change. A poisoned Entry (or Prev) stands for a value that can't be read.
type Event struct {
	Type  EventType
	Entry Entry
	// Prev is the version that Modified and Deleted replace, if WatchOptions.Prev asked for it. For Deleted its revision
	// is that of the last write.
	Prev Entry
}

// TryUpdate makes the next value of an entry. It may be called several times, each time with the newest entry,
// and must have no effect outside. The store keeps the returned value.
type TryUpdate func(current Entry) (value []byte, with []Op, err error)

// CheckDelete allows the deletion of current, or says why not.
type CheckDelete func(current Entry) error

// Op is one more thing in the transaction of a write: a compare-and-put at another key of the same root, whose value is
// written as it is (a Form does not apply), or the Lifetime of the entry itself.
type Op struct {
	Key string
	// Expected is the revision that Key must have; 0 means that it must not exist.
	Expected int64
	Value    []byte

	lifetime time.Duration
}

// Lifetime makes the entry that is written disappear by itself: not before d is over, and soon after it, like any
// deletion. Stores share what etcd has to remember of it among entries, so it may be later by 5 % of d, one second at
// least and 60 at most, and the seconds are whole. d is counted from the write; an update without a Lifetime leaves
// the entry the one that it has.
func Lifetime(d time.Duration) Op { return Op{lifetime: d} }

// SplitOps takes the Lifetime, 0 if there is none, out of the operations that go with a write. Backends call it after
// CheckOps.
func SplitOps(with []Op) (lifetime time.Duration, puts []Op) {
	i := slices.IndexFunc(with, func(o Op) bool { return o.lifetime != 0 })
	if i < 0 {
		return 0, with
	}
	return with[i].lifetime, slices.Delete(slices.Clone(with), i, i+1)
}

// Form maps between canonical values and what lies in the database, for the kinds of one prefix. Its functions may be called from any
// goroutine. The zero Form keeps canonical values as they are and reads everything as canonical.
type Form struct {
	// Canonical makes the canonical value of a stored one; stale says that they differ in a way that a
	// write should mend. It may return stored itself, which is never modified.
	Canonical func(key string, stored []byte) (value []byte, stale bool, err error)
	// Stored makes what to write of a canonical value. It may return value itself.
	Stored func(key string, value []byte) ([]byte, error)
}
