package storagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

// Backend is one fresh root of a database. Keys are below that root. All stores of a test live
// until its end.
type Backend struct {
	// Open returns a store with form on the root.
	Open func(form storage.Form) storage.Interface
	// Put writes raw bytes at key, past every store, and returns the revision.
	Put func(key string, raw []byte) int64
	// Get reads raw bytes and their revision, 0 if there are none.
	Get func(key string) ([]byte, int64)
	// Compact forgets the history of the database before revision.
	Compact func(revision int64)

	// Remembers says that the store may answer from a memory of its own what the database has
	// compacted. Such an answer must be right.
	Remembers bool
	// ProgressWithin is how long a bookmark on a quiet watch may take; 0 means 5 s.
	ProgressWithin time.Duration
}

// Factory makes a Backend and cleans it up with t.Cleanup.
type Factory func(t *testing.T) Backend

type namedTest struct {
	name string
	run  func(*env)
}

// env is what a test works with; s is a store with the zero Form.
type env struct {
	*testing.T
	Backend
	ctx context.Context
	s   storage.Interface
}

func (e *env) create(key, value string) storage.Entry {
	e.Helper()
	entry, err := e.s.Create(e.ctx, key, []byte(value))
	if err != nil {
		e.Fatalf("create %s: %v", key, err)
	}
	return entry
}

func (e *env) update(key, value string) storage.Entry {
	e.Helper()
	entry, err := e.s.GuaranteedUpdate(e.ctx, key, set(value))
	if err != nil {
		e.Fatalf("update %s: %v", key, err)
	}
	return entry
}

func (e *env) delete(key string) storage.Entry {
	e.Helper()
	entry, err := e.s.Delete(e.ctx, key, nil)
	if err != nil {
		e.Fatalf("delete %s: %v", key, err)
	}
	return entry
}

func (e *env) get(key string) storage.Entry {
	e.Helper()
	entry, err := e.s.Get(e.ctx, key, storage.GetOptions{})
	if err != nil {
		e.Fatalf("get %s: %v", key, err)
	}
	return entry
}

func (e *env) list(prefix string, opts storage.ListOptions) storage.Page {
	e.Helper()
	page, err := e.s.List(e.ctx, prefix, opts)
	if err != nil {
		e.Fatalf("list %s %+v: %v", prefix, opts, err)
	}
	return page
}

func (e *env) revision() int64 {
	e.Helper()
	r, err := e.s.Revision(e.ctx)
	if err != nil {
		e.Fatalf("revision: %v", err)
	}
	return r
}

// missing fails the test if there is an entry at key.
func (e *env) missing(key string) {
	e.Helper()
	_, err := e.s.Get(e.ctx, key, storage.GetOptions{})
	e.wantCode(err, storage.CodeNotFound, key)
	if raw, rev := e.Get(key); rev != 0 {
		e.Fatalf("%s: the database has %q at revision %d, want nothing", key, raw, rev)
	}
}

// wantCode fails the test unless err is a *storage.Error of code about key.
func (e *env) wantCode(err error, code storage.Code, key string) {
	e.Helper()
	var se *storage.Error
	if !errors.As(err, &se) || se.Code != code || se.Key != key {
		e.Fatalf("got error %v, want code %q about %s", err, code, key)
	}
}

func (e *env) wantEntry(got storage.Entry, key, value string, revision int64) {
	e.Helper()
	got.Lease = 0 // is the store's own
	if diff := cmp.Diff(entry(key, value, revision), got); diff != "" {
		e.Fatalf("wrong entry (-want +got)\n%s", diff)
	}
}

func entry(key, value string, revision int64) storage.Entry {
	return storage.Entry{Key: key, Value: []byte(value), Revision: revision}
}

// set is a TryUpdate that makes value.
func set(value string) storage.TryUpdate {
	return func(storage.Entry) ([]byte, []storage.Op, error) { return []byte(value), nil, nil }
}

// keys returns "key=value" for each entry.
func keys(entries []*storage.Entry) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, fmt.Sprintf("%s=%s", e.Key, e.Value))
	}
	return out
}

// same says whether a and b are the same memory.
func same(a, b []byte) bool {
	return len(a) > 0 && bytes.Equal(a, b) && &a[0] == &b[0]
}

// hangs is after which time something that has to happen is taken to hang. Machines are busy, and
// disks slow.
const hangs = time.Minute
