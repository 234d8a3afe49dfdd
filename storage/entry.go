package storage

// Entry is one version of one stored object. It is immutable and shared by everyone who reads it:
// neither Value nor anything decoded from it without copying may be modified or put into a pool.
// Holding on to any part of it keeps all of its memory alive; what is to be kept for long is copied
// out.
type Entry struct {
	// Key is the path below the store's root.
	Key string
	// Value is the canonical encoding of the object. It holds no resourceVersion: that is Revision.
	Value []byte
	// Revision is the revision of the database at which this version was written (etcd: the mod
	// revision).
	Revision int64
	// Stale says that the database holds something else than Value (another version, another media
	// type, an old key, a missing default). Only a write changes that.
	Stale bool
	// Err poisons the entry: the database has a value here that can't be read, and Value is nil. It
	// is an error for a reader and on a stream, never a gap. Its code is CodeCorrupt.
	Err error
	// Lease is for the store that made the entry alone: etcd's lease which ends it, 0 for none.
	Lease int64
}
