package migration_test

import (
	"encoding/json"
	"fmt"
	"strings"
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

// What is noted of places is kept beside the versions, and keeps programs away that can't read it.
func TestPlaces(t *testing.T) {
	ctx := t.Context()
	db := memory.NewDatabase()
	r := migration.Record{Store: memory.New(memory.Config{Database: db, Root: "/registry"})}
	stored := func() string {
		value, _ := db.Get("/registry/.stored-versions")
		return string(value)
	}
	readable := func() bool { // by an earlier release
		var versions map[string][]string
		return json.Unmarshal([]byte(stored()), &versions) == nil
	}
	place := func(p migration.Places) {
		t.Helper()
		if err := r.Place(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	place(migration.Places{"books": nil})
	if stored() != "" {
		t.Errorf("nothing is noted as %s", stored())
	}
	if err := r.Add(ctx, migration.Versions{"books": {"v1"}}); err != nil || !readable() {
		t.Errorf("%s, %v", stored(), err)
	}
	place(migration.Places{"services": {"/services/", "/services/specs/"}})
	if want := `{"keyPrefixes":{"services":["/services/","/services/specs/"]},"versions":{"books":["v1"]}}`; stored() != want || readable() {
		t.Errorf("%s, want %s", stored(), want)
	}
	if err := r.Add(ctx, migration.Versions{"pens": {"v2"}}); err != nil || readable() {
		t.Errorf("%s, %v", stored(), err)
	}
	before := db.Revision()
	place(migration.Places{"books": nil})
	if db.Revision() != before {
		t.Error("what is known was written again")
	}
	place(migration.Places{"services": {"/services/specs/"}})
	versions, _, err := r.Read(ctx)
	if diff := cmp.Diff(migration.Versions{"books": {"v1"}, "pens": {"v2"}}, versions); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	places, at, err := r.Places(ctx)
	if diff := cmp.Diff(migration.Places{"services": {"/services/specs/"}}, places); diff != "" || err != nil || at != db.Revision() {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	place(migration.Places{"services": nil})
	if !readable() {
		t.Errorf("%s, which says nothing new", stored())
	}
	for _, broken := range []string{`{"versions":{},"keyPrefixes":{},"more":1}`, `null`, `{"versions":null,"keyPrefixes":{"a":["/b/"]}}`, `7`, ``} {
		db.Put("/registry/.stored-versions", []byte(broken))
		if _, _, err := r.Read(ctx); err == nil || !strings.Contains(err.Error(), "/.stored-versions can't be read") {
			t.Errorf("%s: %v", broken, err)
		}
		if err := r.Add(ctx, migration.Versions{"books": {"v1"}}); err == nil || stored() != broken {
			t.Errorf("%s was written over with %s", broken, stored())
		}
	}
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
