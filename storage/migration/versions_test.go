package migration_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
	"github.com/typeplane/typeplane/storage/migration"
)

func TestRecord(t *testing.T) {
	ctx := t.Context()
	r := migration.Record{Store: memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry"})}
	want := func(want migration.Versions) int64 {
		t.Helper()
		got, revision, err := r.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
		return revision
	}
	if revision := want(migration.Versions{}); revision != 0 {
		t.Errorf("nothing at revision %d", revision)
	}

	// Many servers begin at once.
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			if err := r.Add(ctx, migration.Versions{"books": {fmt.Sprint("v", i%3)}, "pens": {"v1"}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := want(migration.Versions{"books": {"v0", "v1", "v2"}, "pens": {"v1"}})

	// What is known is not written again.
	if err := r.Add(ctx, migration.Versions{"books": {"v2"}}); err != nil {
		t.Fatal(err)
	}
	if now := want(migration.Versions{"books": {"v0", "v1", "v2"}, "pens": {"v1"}}); now != seen {
		t.Errorf("written at %d", now)
	}
	if err := r.Settle(ctx, seen, map[string]string{"books": "v2"}); err != nil {
		t.Fatal(err)
	}
	want(migration.Versions{"books": {"v2"}, "pens": {"v1"}})

	// Somebody began to write v1 after the look.
	if err := r.Settle(ctx, seen, map[string]string{"pens": "v2"}); err != nil {
		t.Fatal(err)
	}
	want(migration.Versions{"books": {"v2"}, "pens": {"v1"}})
}

func TestFound(t *testing.T) {
	db := memory.NewDatabase()
	for i := range 1200 {
		db.Put(fmt.Sprintf("/registry/books/%d", i), fmt.Appendf(nil, "v%d", i%3))
	}
	db.Put("/registry/pens/1", []byte("v9"))
	got, err := migration.Found(t.Context(), memory.New(memory.Config{Database: db, Root: "/registry"}), "/books/", func(e storage.Entry) string {
		if string(e.Value) == "v0" {
			return ""
		}
		return string(e.Value)
	})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"v1", "v2"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
