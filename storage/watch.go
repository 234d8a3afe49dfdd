package storage

import "context"

// WatchOptions says where a watch starts.
type WatchOptions struct {
	// After is the revision after which events are wanted; it must be positive (a list's revision,
	// or an entry's).
	After int64
	// Progress asks for Bookmark events: sooner or later after a quiet time, also if nothing in the
	// selection changed.
	Progress bool
	// Prev asks for Event.Prev, and for the last value of what was deleted. Without it a store need
	// not read them, and may leave both out: a cache that holds the versions before has no use for
	// them.
	Prev bool
	// Where narrows the watch, if the store can do that. It may leave out changes of entries that
	// neither had the value before nor have it after. nil wants every change.
	Where *Where
}

// Watcher is one reader's position in the history of a selection. Only one goroutine may use it;
// Close may be called from any. A reader that is slow, or that stops reading, costs no other one
// anything: at worst its own position is compacted away.
type Watcher interface {
	// Next waits until there are events and returns them in revision order, at least one: each
	// change once, none left out, and all changes of one transaction in one call. The slice is good
	// until the next call; the entries in it are shared and stay as they are. After an error
	// (CodeCompacted, CodeUnavailable, a context's, ErrClosed) every further call returns it again.
	// After CodeUnavailable a new watch may go on behind the last event.
	Next(ctx context.Context) ([]Event, error)
	// Close ends the watch and frees what it holds. It may be called more than once, also while
	// Next waits.
	Close()
}

// EventType is what happened to an entry.
type EventType int

const (
	// Created: there was no entry; Event.Prev is zero.
	Created EventType = iota + 1
	// Modified: Event.Prev is the version before.
	Modified
	// Deleted: Event.Entry has the revision of the deletion, and the last value if
	// WatchOptions.Prev asked for it.
	Deleted
	// Bookmark: only Entry.Revision is set, and it is beyond every event and bookmark before it.
	// Every event up to that revision has been returned.
	Bookmark
)

// Event is one change. A poisoned Entry (or Prev) stands for a value that can't be read.
type Event struct {
	Type  EventType
	Entry Entry
	// Prev is the version that Modified and Deleted replace, if WatchOptions.Prev asked for it. For
	// Deleted its revision is that of the last write.
	Prev Entry
	// Encodings keeps what watchers make of the event, if the store has a place for that; nil: it
	// has none.
	Encodings Encodings
}

// Encodings keeps what watchers make of one event, so that it is made once for all of them. It
// lives as long as the store remembers the event, or less. Its methods may be called from any
// goroutine.
type Encodings interface {
	// Keep returns what is kept under key, which can be compared. If that is nothing it returns
	// what make does, and may keep that, if it is no error: nobody may modify it from then on.
	// Others who want the same wait for make, which must not call the store.
	Keep(key any, make func() ([]byte, error)) ([]byte, error)
}
