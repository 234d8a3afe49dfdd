package storagetest

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/storage"
)

var whereTests = []namedTest{
	{"NarrowsAtMost", testWhere},
	{"Watch", testWhereWatch},
}

// color reads the part of a value before a colon; values without one have none, and those that
// begin with "?" can't be read.
func color(value string) *storage.Where {
	return &storage.Where{Attribute: "color", Value: value, Read: func(e storage.Entry) (string, bool, error) {
		if bytes.HasPrefix(e.Value, []byte("?")) {
			return "", false, errors.New("no color can be read")
		}
		color, _, ok := strings.Cut(string(e.Value), ":")
		return color, ok, nil
	}}
}

// testWhere asks several times, since a store may begin to narrow lists when it sees that somebody
// wants it.
func testWhere(e *env) {
	form := storage.Form{Canonical: func(_ string, stored []byte) ([]byte, bool, error) {
		if bytes.HasPrefix(stored, []byte("bad")) {
			return nil, false, errors.New("bad")
		}
		return stored, false, nil
	}}
	e.s = e.Open(form)
	for key, value := range map[string]string{
		"/pods/a/1": "red:1", "/pods/a/2": "blue:2", "/pods/a/3": "red:3", "/pods/a/4": "none", "/pods/b/1": "red:4",
		"/pods/b/2": "blue:5", "/pods/b/3": "?", "/pods/c/1": "redder:6", "/pods/c/2": "red:7", "/secrets/a": "red:8",
	} {
		e.create(key, value)
	}
	e.Put("/pods/b/4", []byte("bad"))
	for round := range 4 {
		e.wantWhere("/pods/", "red", []string{"/pods/a/1", "/pods/a/3", "/pods/b/1", "/pods/b/3", "/pods/b/4", "/pods/c/2"})
		e.wantWhere("/pods/a/", "red", []string{"/pods/a/1", "/pods/a/3"})
		e.wantWhere("/pods/b/", "blue", []string{"/pods/b/2", "/pods/b/3", "/pods/b/4"})
		e.wantWhere("/pods/", "green", []string{"/pods/b/3", "/pods/b/4"})
		e.wantWhere("/pods/none/", "red", []string{})
		if round == 1 {
			e.update("/pods/a/1", "blue:1")
			e.update("/pods/a/2", "red:2")
			e.delete("/pods/c/2")
			e.update("/pods/b/3", "red:3")
			e.wantWhere("/pods/", "red", []string{"/pods/a/2", "/pods/a/3", "/pods/b/1", "/pods/b/3", "/pods/b/4"})
			e.update("/pods/a/1", "red:1")
			e.update("/pods/a/2", "blue:2")
			e.update("/pods/b/3", "?")
			e.create("/pods/c/2", "red:7")
		}
	}
}

// wantWhere lists what has a color, at once and in pages, and fails the test if it is not all of
// want, in order.
func (e *env) wantWhere(prefix, value string, want []string) {
	e.Helper()
	whole := e.list(prefix, storage.ListOptions{Where: color(value)})
	e.checkWhere(whole.Entries, value, want)
	if whole.Remaining != 0 {
		e.Fatalf("%d remain after all", whole.Remaining)
	}
	opts := storage.ListOptions{Where: color(value), Limit: 2}
	var entries []*storage.Entry
	for {
		page := e.list(prefix, opts)
		entries = append(entries, page.Entries...)
		if page.Remaining == 0 {
			break
		}
		opts.Match, opts.Revision, opts.Start = storage.Exact, page.Revision, page.Entries[len(page.Entries)-1].Key+"\x00"
	}
	e.checkWhere(entries, value, want)
}

func (e *env) checkWhere(entries []*storage.Entry, value string, want []string) {
	e.Helper()
	all, wanted := []string{}, []string{}
	w := color(value)
	for _, entry := range entries {
		all = append(all, entry.Key)
		if entry.Err != nil {
			wanted = append(wanted, entry.Key)
		} else if got, ok, err := w.Read(*entry); err != nil || ok && got == value {
			wanted = append(wanted, entry.Key)
		}
	}
	if !slices.Equal(wanted, want) || !slices.IsSorted(all) {
		e.Fatalf("where the color is %s: %q of %q, want %q", value, wanted, all, want)
	}
}

func testWhereWatch(e *env) {
	first := e.create("/pods/a/1", "blue:1")
	w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: first.Revision, Where: color("red")})
	if err != nil {
		e.Fatal(err)
	}
	defer w.Close()
	e.create("/pods/a/2", "blue:2")
	want := []int64{
		e.create("/pods/a/3", "red:3").Revision,
		e.update("/pods/a/1", "red:1").Revision,
		e.update("/pods/a/3", "green:3").Revision,
	}
	e.update("/pods/a/2", "green:2")
	want = append(want, e.update("/pods/a/2", "?").Revision)
	e.delete("/pods/a/3")
	want = append(want, e.delete("/pods/a/1").Revision)
	for last := first.Revision; len(want) > 0; {
		events, err := w.Next(e.ctx)
		if err != nil {
			e.Fatalf("while %d is still to come: %v", want[0], err)
		}
		for _, ev := range events {
			if ev.Entry.Revision <= last {
				e.Fatalf("event at %d after one at %d", ev.Entry.Revision, last)
			}
			if last = ev.Entry.Revision; len(want) > 0 && last > want[0] {
				e.Fatalf("event at %d was left out", want[0])
			}
			if len(want) > 0 && last == want[0] {
				want = want[1:]
			}
		}
	}
}
