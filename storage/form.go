package storage

import "github.com/typeplane/typeplane/internal/recovery"

// Form maps between canonical values and what lies in the database, for the kinds of one prefix.
// Its functions may be called from any goroutine, for any key, and often: for every value that is
// read. The zero Form keeps canonical values as they are and reads everything as canonical.
type Form struct {
	// Canonical makes the canonical value of a stored one; stale says that they differ in a way
	// that a write should mend. It may return stored itself, or parts of it; stored is never
	// modified.
	Canonical func(key string, stored []byte) (value []byte, stale bool, err error)
	// Stored makes what to write of a canonical value. It may return value itself, and does not
	// modify it.
	Stored func(key string, value []byte) ([]byte, error)
}

// ReadEntry returns the entry of the stored value that a backing database holds at key, written at
// revision. If Canonical fails or panics, the entry is undecodable. The entry may share memory with
// stored.
func (form Form) ReadEntry(key string, stored []byte, revision int64) Entry {
	e := Entry{Key: key, Value: stored, Revision: revision}
	if form.Canonical == nil {
		return e
	}
	err := recovery.Call(nil, "stored values", key, func() (err error) {
		e.Value, e.Stale, err = form.Canonical(key, stored)
		return err
	})
	if err != nil {
		return Entry{Key: key, Revision: revision, Err: &Error{Code: CodeCorrupt, Op: "read", Key: key, Revision: revision, Err: err}}
	}
	return e
}

// WriteValue makes what a backing database shall hold at key for the canonical value.
func (form Form) WriteValue(key string, value []byte) ([]byte, error) {
	if form.Stored == nil {
		return value, nil
	}
	return form.Stored(key, value)
}
