package migration_test

import (
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

// TestPlaces covers places beside versions, in a new record and in one that an earlier build wrote.
// Those builds read a record without places, and none with them.
func TestPlaces(t *testing.T) {
	ctx := t.Context()
	for _, tc := range []struct{ name, first, versions, header string }{
		{"new", "", `{"keyPrefixes":{},"versions":{"books":["v1"]}}`, "format 2, release v0.1.0\n"},
		{"of an earlier build", `{"books":["v1"]}`, `{"books":["v1"]}`, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			db := memory.NewDatabase()
			r := migration.Record{Store: memory.New(memory.Config{Database: db, Root: "/registry"})}
			stored := func() string {
				value, _ := db.Get("/registry/.stored-versions")
				return string(value)
			}
			want := func(content string) {
				t.Helper()
				if stored() != tc.header+content {
					t.Errorf("stored %q, want %q", stored(), tc.header+content)
				}
			}
			place := func(p migration.Places) {
				t.Helper()
				if err := r.Place(ctx, p); err != nil {
					t.Fatal(err)
				}
			}
			if tc.first != "" {
				db.Put("/registry/.stored-versions", []byte(tc.first))
			} else if place(migration.Places{"books": nil}); stored() != "" {
				t.Errorf("nothing is noted as %s", stored())
			}
			if err := r.Add(ctx, migration.Versions{"books": {"v1"}}); err != nil {
				t.Fatal(err)
			}
			want(tc.versions)
			place(migration.Places{"services": {"/services/", "/services/specs/"}})
			want(`{"keyPrefixes":{"services":["/services/","/services/specs/"]},"versions":{"books":["v1"]}}`)
			if err := r.Add(ctx, migration.Versions{"pens": {"v2"}}); err != nil {
				t.Fatal(err)
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
			want(strings.Replace(tc.versions, `"books":["v1"]`, `"books":["v1"],"pens":["v2"]`, 1))
		})
	}
}

// TestUnreadableRecord covers records that this program can't read: it writes over none of them.
func TestUnreadableRecord(t *testing.T) {
	ctx := t.Context()
	db := memory.NewDatabase()
	r := migration.Record{Store: memory.New(memory.Config{Database: db, Root: "/registry"})}
	const unreadable = "/.stored-versions can't be read"
	for value, want := range map[string]string{
		`{"versions":{},"keyPrefixes":{},"more":1}`: unreadable,
		`null`: unreadable,
		`{"versions":null,"keyPrefixes":{"a":["/b/"]}}`: unreadable,
		`7`:                          unreadable,
		``:                           unreadable,
		"format 2, release v0.1.0\n": unreadable,
		"format 2, release v0.1.0\n" + `{"books":["v1"]}`:                           unreadable,
		"format 2, release v0.1.0\n" + `{"versions":{},"keyPrefixes":{},"more":{}}`: unreadable,
		"format 3, release v0.9.0\n" + `{"versions":{}}`:                            "format 3, and this program reads formats up to 2: start a program that is built with Typeplane v0.9.0 or later",
		"format 3\n": "has the header",
	} {
		db.Put("/registry/.stored-versions", []byte(value))
		_, _, err := r.Read(ctx)
		for _, err := range []error{err, r.Add(ctx, migration.Versions{"books": {"v1"}}), r.Place(ctx, migration.Places{"a": {"/b/"}}),
			r.House(ctx, "books", migration.Home{}, migration.Home{ID: "x"}), r.Settle(ctx, db.Revision(), map[string]string{"books": "v1"})} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q: %v", value, err)
			}
		}
		if now, _ := db.Get("/registry/.stored-versions"); string(now) != value {
			t.Errorf("%q was written over with %q", value, now)
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
