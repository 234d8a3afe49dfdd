package storage

// GetOptions says how fresh the answer must be.
type GetOptions struct {
	// NotOlderThan is the revision that the answer must have seen; CodeFuture if the store is not
	// there yet. 0: no such floor.
	NotOlderThan int64
	// Any allows an answer from memory that other writers may have overtaken. Without it the answer
	// is linearizable.
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
	// Exact wants the state at Revision, which must be positive: CodeCompacted when it is gone,
	// CodeFuture when it is not there yet.
	Exact
)

// ListOptions selects a page.
type ListOptions struct {
	Match    Match
	Revision int64
	// Start is the first key that may be returned; "" starts at the prefix. It must lie below the
	// prefix, and may be a key with a NUL behind it, which means just after that key. A list of one
	// key wants none.
	Start string
	// Limit is the most entries to return; 0 is all of them.
	Limit int64
	// Where narrows the list, if the store can do that; nil wants every entry.
	Where *Where
}

// Floor is the revision that a state must have reached to answer the list; 0 if any will do, or if
// it is for the store to find out.
func (o ListOptions) Floor() int64 {
	if o.Match == NotOlderThan || o.Match == Exact {
		return o.Revision
	}
	return 0
}

// Where is a hint that only the entries with one value of an attribute are wanted. A store that
// keeps an index of the attribute leaves others out; every other store returns them anyway. So
// whoever asks looks at what it gets.
type Where struct {
	// Attribute names what Read reads: two of the same name below one prefix must read the same.
	Attribute string
	Value     string
	// Read returns the attribute of an entry that is not poisoned; ok is false if the entry has
	// none. If it fails, nobody knows, and the entry is never left out; neither is a poisoned one.
	// Read may be called from any goroutine, also much later, and returns quickly. The value may
	// share memory with the entry.
	Read func(Entry) (value string, ok bool, err error)
}

// Page is a part of a prefix at one revision. Entries is never nil. The entries may be those that a
// store keeps itself, which many pages share: nobody modifies them.
type Page struct {
	Entries []*Entry
	// Revision is the revision of the state that was listed (of the database, not of an entry),
	// never 0.
	Revision int64
	// Remaining is how many entries at or after Start follow the last one of this page. With
	// ListOptions.Where it only says whether there are any.
	Remaining int64
}
