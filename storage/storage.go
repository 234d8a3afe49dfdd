package storage

import "context"

// Interface is a store of entries. All of it, in a few lines:
//
//   - Concurrency: every method may be called from any goroutine, and none waits for the reader of
//     a watch.
//   - Ownership: a value that is given to a store is the store's from then on, and what a store
//     returns is shared by all who read it. Neither is ever modified, by anybody. Keys are strings;
//     slices of entries and events are the caller's own, except where Watcher.Next says otherwise.
//   - Consistency: there is one line of revisions for the whole database, and each write that
//     changes something takes the next one, whatever key it is at. Get, List and Revision are
//     linearizable unless their options allow less: they see every write that ended, anywhere,
//     before they were called. Whoever lists at a revision and watches after it misses nothing and
//     sees nothing twice.
//   - Keys: paths below the store's root, see Join. A malformed key, prefix or selection is
//     CodeInvalidKey, before anything else is looked at.
//   - Errors: what a caller may want to branch on is an *Error, see CodeOf; the codes of each
//     method are listed with it. Each may also return CodeInvalidKey, and CodeOther for a defect.
//     When ctx ends, errors.Is finds the context's error.
//   - Unknown outcomes: after CodeUnknown a write may or may not have happened, and may still
//     happen a little later. That is also what a write returns whose context ended while the
//     transaction was on its way. Every other error of a write says that nothing was written.
//   - Poisoned entries: a value in the database that can't be read is an Entry with an Err. It is
//     never left out: neither of a list nor of a watch nor of a count, and it can be deleted.
type Interface interface {
	// Get returns the entry at key.
	//
	// Errors: CodeNotFound; CodeCorrupt for a poisoned entry; CodeFuture if the store is not at
	// opts.NotOlderThan, for which it may wait a moment; CodeUnavailable; CodeNotReady.
	Get(ctx context.Context, key string, opts GetOptions) (Entry, error)

	// List returns the entries of a selection (a prefix, or one key) in key order, all of one
	// revision. For a key that is a page with one entry or none. Poisoned entries are in the page
	// with their Err set: it is for the caller to decide that they fail the list.
	//
	// The page is the caller's own; values in it are shared. Nothing that is written later changes
	// it.
	//
	// Errors: CodeFuture and CodeCompacted as the Match says; CodeUnavailable; CodeNotReady.
	List(ctx context.Context, selection string, opts ListOptions) (Page, error)

	// Watch follows every change in a selection (a prefix, or one key) after opts.After, which may
	// lie in the future: changes up to it are skipped. It may return before it knows that it can:
	// what Watch does not refuse, the first Next may. ctx bounds the opening only; the watch lives
	// until Close.
	//
	// Errors, here or from Next: CodeCompacted if the history after opts.After is not complete any
	// more; then only a new list helps, whatever Error.Oldest is. CodeUnavailable; CodeNotReady.
	Watch(ctx context.Context, selection string, opts WatchOptions) (Watcher, error)

	// Count returns how many entries there are in a selection, poisoned ones too, without reading
	// them. It is for metrics and for guessing what a list would cost: the number may be of a state
	// that other writers have overtaken.
	//
	// Errors: CodeUnavailable; CodeNotReady.
	Count(ctx context.Context, selection string) (int64, error)

	// Create writes value at key, which must not exist, and the operations in with, in one
	// transaction: all of it or nothing. The store keeps value and those of the operations. The
	// result holds value itself.
	//
	// No other writer makes the same value at the same key, since an object has a uid. So a store
	// whose transaction got no answer takes an equal value that it finds there for its own.
	//
	// Errors: CodeExists, also if what is there is poisoned. Else CodeConflict, with the key of the
	// first operation that did not meet its expected revision. CodeTooLarge; CodeNoSpace;
	// CodeUnavailable; CodeUnknown; that of the Form as it is.
	Create(ctx context.Context, key string, value []byte, with ...Op) (Entry, error)

	// GuaranteedUpdate replaces the value at key by what try makes of it. When another writer (of
	// key, or of the key of an operation that try returned) comes first, try is asked again with
	// the newer entry, with back-off until ctx ends. So the value that is replaced is always what
	// try saw last.
	//
	// If try returns the bytes that it was given and no operations, nothing is written and the
	// current entry is returned. Only if that entry is Stale a write mends it.
	//
	// A store with a memory may begin with an entry that others have overtaken. What try says of
	// such an entry, an error or the same bytes, does not count: then try is asked again, too.
	//
	// Errors: that of try, as it is. Without asking try, CodeNotFound without an entry and
	// CodeCorrupt with a poisoned one. CodeTooLarge; CodeNoSpace; CodeUnavailable; CodeUnknown;
	// that of the Form as it is. A conflict is none.
	GuaranteedUpdate(ctx context.Context, key string, try TryUpdate) (Entry, error)

	// Delete removes the entry at key, and carries out the operations that check returns, in one
	// transaction. The check sees the entry that would go, also a poisoned one. It sees it again in
	// each attempt. There is another one when another writer (of key, or of the key of an
	// operation) came first, or when the entry was from memory and is not the newest. A nil check
	// allows every deletion. The result is the last value (a poisoned entry if it was one) with the
	// revision of the deletion.
	//
	// Errors: that of check, as it is; CodeNotFound; CodeTooLarge and CodeNoSpace for what the
	// operations write; CodeUnavailable; CodeUnknown. A conflict is none.
	Delete(ctx context.Context, key string, check CheckDelete) (Entry, error)

	// Revision returns the current revision of the backing database, linearizably: that of the last
	// write to any key, also of other stores and other roots.
	//
	// Errors: CodeUnavailable.
	Revision(ctx context.Context) (int64, error)
}

// A Weigher is a store that knows without asking anybody how much there is. It is asked before each
// list, so that a list of everything does not count like one of nothing.
type Weigher interface {
	// Weigh returns how many entries there are in a prefix, and about how many bytes they have. The
	// state may be one that other writers have overtaken. ok is false while it is not known.
	Weigh(prefix string) (entries, bytes int64, ok bool)
}
