package storage

import "context"

// A store may have more methods than those of Interface. A watch cache uses them where they are,
// and does without where they are not. Whoever puts something around a store embeds Interface, not
// the store's own type: else these methods go past what the wrapper does.

// ProgressRequester is a store that can be asked how far its watches are. A cache in front of one
// that can't answers reads of the newest state from the store whenever another resource was written
// since its watch last returned something.
type ProgressRequester interface {
	// RequestProgress makes the watches with Progress return a bookmark soon. It may fail or do
	// nothing; it is called again. An errors.ErrUnsupported says that it never will do anything.
	RequestProgress(ctx context.Context) error
}

// RevisionLister is a store that lists revisions for less than a List of the entries costs. A cache
// compares itself with the store now and then, and lists the entries where there is no such method.
type RevisionLister interface {
	// EachRevision calls visit with every key below prefix and the revision at which it was last
	// written, in key order and as the store is at revision, without reading values. It fails as an
	// exact list does.
	EachRevision(ctx context.Context, prefix string, revision int64, visit func(key string, modified int64)) error
}

// KnownWriter is a store whose writes may begin with an entry that the caller has, and so save a
// read. Without it they are a GuaranteedUpdate and a Delete.
type KnownWriter interface {
	// UpdateKnown is GuaranteedUpdate at known.Key. Its first attempt works on known, an entry that
	// the store has made once and that others may have overtaken, where GuaranteedUpdate reads.
	// Such an attempt may come to no write: try returns an error or the same bytes. That is told
	// only if known turns out to be what the store holds; else try is asked again.
	UpdateKnown(ctx context.Context, known Entry, try TryUpdate) (Entry, error)
	// DeleteKnown is to Delete what UpdateKnown is to GuaranteedUpdate.
	DeleteKnown(ctx context.Context, known Entry, check CheckDelete) (Entry, error)
}
