package storage

import (
	"errors"
	"fmt"
)

// Code says what kind of failure an Error is, and with that what a caller may do. It may read
// again (CodeConflict), list again (CodeCompacted), ask again soon (CodeFuture, CodeUnavailable,
// CodeNotReady, CodeMoved), look what happened (CodeUnknown), or give up. Of all codes, only
// CodeUnknown leaves it open whether a write was carried out.
type Code int

const (
	// CodeOther is what CodeOf says of an error that is not of this package.
	CodeOther Code = iota
	// CodeNotFound: there is no entry at the key.
	CodeNotFound
	// CodeExists: there is already an entry at the key.
	CodeExists
	// CodeConflict: an operation of the transaction did not meet its expected revision.
	CodeConflict
	// CodeCorrupt: the stored value can't be read (decrypted, decoded, converted).
	CodeCorrupt
	// CodeCompacted: the revision asked for is no longer in the history.
	CodeCompacted
	// CodeFuture: the revision asked for has not been reached; Error.Current is where the store is.
	CodeFuture
	// CodeTooLarge: the value is over the backing database's limit. Nothing was written.
	CodeTooLarge
	// CodeUnavailable: the backing database can't be reached or has no quorum; nothing was written.
	CodeUnavailable
	// CodeUnknown: the backing database did not answer a write in time; it may or may not have
	// happened.
	CodeUnknown
	// CodeNotReady: the store is still being filled. Nothing was read; it is worth asking again
	// soon.
	CodeNotReady
	// CodeInvalidKey: the key or prefix is malformed.
	CodeInvalidKey
	// CodeMoved: what is at the key is in another database now, or soon will be. Nothing was read
	// or written; it is worth asking again soon.
	CodeMoved
	// CodeNoSpace: the backing database has no space left; nothing was written. Reads still work,
	// and deletions that put nothing.
	CodeNoSpace
	// CodeFailed: the backing database has failed, and stays so until somebody starts it again;
	// nothing was written.
	CodeFailed
)

// ErrClosed is what Watcher.Next returns after Close.
var ErrClosed = errors.New("storage: watch closed")

// ErrNoAnswer is the cause of a CodeUnavailable where the backing database was given its time and
// said nothing. Whoever asks again soon waits as long again.
var ErrNoAnswer = errors.New("the backing database did not answer")

// ErrNoQuorum is the cause of a CodeUnavailable where it is known that the backing database can
// carry out nothing. Nothing was asked of it; to ask again costs little.
var ErrNoQuorum = errors.New("the backing database has no quorum")

// Error is a failure that a caller may branch on. It is immutable. Its text is for logs: it names
// keys, and may hold words of the database.
type Error struct {
	Code Code
	// Op is the failed operation ("get", "list", …) and Key what it was about.
	Op, Key string
	// Revision is the one asked for, where it matters (CodeFuture, CodeCompacted), and Current the
	// one the store is at, of reads.
	Revision, Current int64
	// Oldest is a revision after which a watch could begin when one was refused with CodeCompacted;
	// 0 if the store does not know one.
	Oldest int64
	// Told is what a client may know of the cause, "" for nothing. It names no keys.
	Told string
	// Err is the cause, if there is one.
	Err error
}

func (e *Error) Error() string {
	msg := fmt.Sprintf("storage: %s %s: %s", e.Op, e.Key, e.Code)
	switch {
	case e.Code == CodeCompacted && e.Oldest > 0:
		msg += fmt.Sprintf(" (revision %d, oldest %d)", e.Revision, e.Oldest)
	case e.Code == CodeFuture || e.Code == CodeCompacted:
		msg += fmt.Sprintf(" (revision %d, current %d)", e.Revision, e.Current)
	}
	if e.Err != nil {
		msg += ": " + e.Err.Error()
	}
	return msg
}

func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first *Error in err's chain, CodeOther if there is none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeOther
}

func (c Code) String() string {
	switch c {
	case CodeNotFound:
		return "not found"
	case CodeExists:
		return "already exists"
	case CodeConflict:
		return "conflicting write"
	case CodeCorrupt:
		return "stored value can't be read"
	case CodeCompacted:
		return "revision compacted"
	case CodeFuture:
		return "revision not reached yet"
	case CodeTooLarge:
		return "value too large"
	case CodeUnavailable:
		return "storage unavailable"
	case CodeUnknown:
		return "outcome unknown"
	case CodeNotReady:
		return "not ready yet"
	case CodeInvalidKey:
		return "invalid key"
	case CodeMoved:
		return "moving to another database"
	case CodeNoSpace:
		return "no space left"
	case CodeFailed:
		return "storage failed"
	}
	return "failed"
}
