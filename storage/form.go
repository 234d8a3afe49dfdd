package storage

// ReadEntry makes the entry of what a backing database holds at key: stored, written at revision. A value that
// form can't read makes a poisoned entry. The entry may share memory with stored.
func (form Form) ReadEntry(key string, stored []byte, revision int64) Entry {
	e := Entry{Key: key, Value: stored, Revision: revision}
	if form.Canonical == nil {
		return e
	}
	value, stale, err := form.Canonical(key, stored)
	if err != nil {
		return Entry{Key: key, Revision: revision, Err: &Error{Code: CodeCorrupt, Op: "read", Key: key, Revision: revision, Err: err}}
	}
	e.Value, e.Stale = value, stale
	return e
}

// WriteValue makes what a backing database shall hold at key for the canonical value.
func (form Form) WriteValue(key string, value []byte) ([]byte, error) {
	if form.Stored == nil {
		return value, nil
	}
	return form.Stored(key, value)
}
