package cacher_test

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/storagetest"
)

// counting is a form that stores values with a "v2:" before them, reads "v1:" as stale, and counts
// what it has to read.
type counting struct{ read atomic.Int64 }

func (f *counting) form(plain bool) storage.Form {
	return storage.Form{
		Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
			f.read.Add(1)
			switch {
			case bytes.HasPrefix(stored, []byte("v1:")):
				return stored[3:], true, nil
			case bytes.HasPrefix(stored, []byte("v2:")):
				return stored[3:], plain, nil
			case plain:
				return stored, false, nil
			}
			return nil, false, fmt.Errorf("can't read %q", stored)
		},
		Stored: func(_ string, value []byte) ([]byte, error) {
			if plain {
				return value, nil
			}
			return append([]byte("v2:"), value...), nil
		},
	}
}

// What this process writes, and what the cache has, is not read again; what others write is.
func TestOwnWritesAreNotReadAgain(t *testing.T) {
	for _, plain := range []bool{true, false} {
		t.Run(fmt.Sprintf("plain %v", plain), func(t *testing.T) {
			f, writes := &counting{}, new(cacher.WriteCache)
			source := memory.New(memory.Config{Form: writes.Form(f.form(plain)), ProgressInterval: quick})
			c := start(t, cacher.Config{Source: source, WriteCache: writes})
			ctx := context.Background()
			for i := range 50 {
				key := fmt.Sprintf("/pods/ns/%d", i%10)
				if i < 10 {
					if _, err := c.Create(ctx, key, fmt.Appendf(nil, "value %d", i)); err != nil {
						t.Fatal(err)
					}
				} else {
					update(t, c, key, fmt.Appendf(nil, "value %d", i))
				}
				if _, err := c.Get(ctx, key, storage.GetOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := c.Delete(ctx, "/pods/ns/9", nil); err != nil {
				t.Fatal(err)
			}
			if n := f.read.Load(); n != 0 {
				t.Errorf("%d values were read", n)
			}
			c.Reread()
			source.Database().Put("/pods/ns/0", []byte("v1:other"))
			got, err := c.Get(ctx, "/pods/ns/0", storage.GetOptions{})
			if err != nil || string(got.Value) != "other" || !got.Stale || f.read.Load() == 0 {
				t.Errorf("the write of another: %+v, %v, %d values were read", got, err, f.read.Load())
			}
		})
	}
}

// A value that the cache has, but that a write would not store, is read: else nobody would call it
// stale.
func TestRecallKnowsWhatIsStale(t *testing.T) {
	f, writes := &counting{}, new(cacher.WriteCache)
	form := f.form(false)
	form.Canonical = func(_ string, stored []byte) ([]byte, bool, error) {
		value, found := bytes.CutPrefix(stored, []byte("v2:"))
		return value, !found, nil
	}
	source := memory.New(memory.Config{Form: writes.Form(form), ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source, WriteCache: writes})
	ctx := context.Background()
	for i := range 300 { // so that none of the first is remembered as a write
		if _, err := c.Create(ctx, fmt.Sprintf("/pods/ns/%d", i), []byte("value")); err != nil {
			t.Fatal(err)
		}
	}
	revision := source.Database().Put("/pods/ns/0", []byte("value"))
	want := storage.Entry{Key: "/pods/ns/0", Value: []byte("value"), Revision: revision, Stale: true}
	got, err := c.Get(ctx, want.Key, storage.GetOptions{})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
}

// The suite passes with a memory between the form and the store.
func TestStoreWithRecall(t *testing.T) {
	t.Parallel()
	storagetest.Run(t, func(t *testing.T) storagetest.Backend {
		db := memory.NewDatabase()
		return storagetest.Backend{
			Open: func(form storage.Form) storage.Interface {
				writes := new(cacher.WriteCache)
				source := memory.New(memory.Config{Database: db, Root: "/registry", Form: writes.Form(form), ProgressInterval: quick})
				return start(t, cacher.Config{Source: source, WriteCache: writes})
			},
			Put: func(key string, raw []byte) int64 { return db.Put("/registry"+key, raw) },
			Get: func(key string) ([]byte, int64) { return db.Get("/registry" + key) },
			Compact: func(revision int64) {
				if err := db.Compact(revision); err != nil {
					t.Fatal(err)
				}
			},
			Remembers:      true,
			ProgressWithin: 2 * quick,
		}
	})
}
