package cacher_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// part is the n-th part of a value like "red/3"; that of a value with a "?" can't be read.
func part(n int, value string) *storage.Where {
	return &storage.Where{Attribute: fmt.Sprint("part ", n), Value: value, Read: func(e storage.Entry) (string, bool, error) {
		if strings.Contains(string(e.Value), "?") {
			return "", false, errors.New("unreadable")
		}
		parts := strings.Split(string(e.Value), "/")
		if n >= len(parts) {
			return "", false, nil
		}
		return parts[n], true, nil
	}}
}

// filter does without an index what a list with w does.
func filter(entries []*storage.Entry, w *storage.Where) []*storage.Entry {
	found := []*storage.Entry{}
	for _, e := range entries {
		if value, ok, err := w.Read(*e); err != nil || ok && value == w.Value {
			found = append(found, e)
		}
	}
	return found
}

// Indexes say what looking at everything says, now and of the past, while things change.
func TestIndexes(t *testing.T) {
	t.Parallel()
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	value := func() []byte {
		v := fmt.Sprintf("%c/%d/x", "rgb?"[rand.N(4)], rand.N(5))
		return []byte(v[:1+2*rand.N(3)])
	}
	var revisions []int64
	for round := range 60 {
		for range 20 {
			key := fmt.Sprintf("/pods/ns%d/%d", rand.N(3), rand.N(30))
			e, err := source.Create(ctx, key, value())
			if storage.CodeOf(err) == storage.CodeExists {
				if rand.N(3) == 0 {
					e, err = source.Delete(ctx, key, nil)
				} else {
					e = update(t, source, key, value())
					err = nil
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			revisions = append(revisions, e.Revision)
		}
		opts := storage.ListOptions{}
		if round%3 == 2 {
			opts = storage.ListOptions{Match: storage.Exact, Revision: revisions[rand.N(len(revisions))]}
		}
		prefix := []string{"/pods/", "/pods/ns1/"}[rand.N(2)]
		all, err := c.List(ctx, prefix, opts)
		if err != nil {
			t.Fatal(err)
		}
		w := part(rand.N(2), []string{"r", "g", "1", "2", "none"}[rand.N(5)])
		opts.Match, opts.Revision, opts.Where = storage.Exact, all.Revision, w
		got, err := c.List(ctx, prefix, opts)
		if err != nil {
			t.Fatal(err)
		}
		want := filter(all.Entries, w)
		if diff := cmp.Diff(want, filter(got.Entries, w)); diff != "" {
			t.Fatalf("round %d, at %d of %d (-want +got)\n%s", round, all.Revision, revisions[len(revisions)-1], diff)
		}
		if round > 30 && round%3 != 2 && len(got.Entries) != len(want) {
			t.Errorf("round %d: %d entries were returned, %d are wanted: there is no index", round, len(got.Entries), len(want))
		}
		// A newest list is what makes an index.
		for range 2 {
			if _, err := c.List(ctx, prefix, storage.ListOptions{Where: w}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := c.Stats().Indexes; n != 2 {
		t.Errorf("%d indexes", n)
	}
}

func TestIndexesAreBounded(t *testing.T) {
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	if _, err := source.Create(ctx, "/pods/a/b", []byte("r/1/x")); err != nil {
		t.Fatal(err)
	}
	ask := func(n int) {
		t.Helper()
		if _, err := c.List(ctx, "/pods/", storage.ListOptions{Where: part(n, "r")}); err != nil {
			t.Fatal(err)
		}
	}
	ask(0)
	if n := c.Stats().Indexes; n != 0 {
		t.Errorf("%d indexes after the first list", n)
	}
	ask(0)
	if n := c.Stats().Indexes; n != 1 {
		t.Errorf("%d indexes after the second list", n)
	}
	for n := range 500 { // each is asked for once: none is worth it
		ask(1000 + n)
	}
	if n := c.Stats().Indexes; n != 1 {
		t.Errorf("%d indexes after 500 different lists", n)
	}
	for n := range 100 {
		ask(n)
		ask(n)
		ask(0) // is in use, and stays
	}
	if n := c.Stats().Indexes; n != 16 {
		t.Errorf("%d indexes", n)
	}
	page, err := c.List(ctx, "/pods/", storage.ListOptions{Where: part(0, "g")})
	if err != nil || len(page.Entries) != 0 {
		t.Errorf("the index that is in use is gone: %+v, %v", page.Entries, err)
	}
}

// A list with an index costs what matches: with ten times the entries it takes about the same time.
func TestIndexedListsDoNotGrow(t *testing.T) {
	took := func(n int) time.Duration {
		source := memory.New(memory.Config{ProgressInterval: quick})
		ctx := context.Background()
		for i := range n {
			value := fmt.Sprintf("v%d/x", i%(n/10))
			if _, err := source.Create(ctx, fmt.Sprintf("/pods/ns/%06d", i), []byte(value)); err != nil {
				t.Fatal(err)
			}
		}
		c := start(t, cacher.Config{Source: source})
		opts := storage.ListOptions{Match: storage.Any, Where: part(0, "v7")}
		best := time.Hour
		for range 50 {
			begin := time.Now()
			page, err := c.List(ctx, "/pods/", opts)
			if err != nil {
				t.Fatal(err)
			}
			best = min(best, time.Since(begin))
			if best < time.Hour && c.Stats().Indexes == 1 && len(page.Entries) != 10 && len(page.Entries) != n {
				t.Fatalf("%d entries", len(page.Entries))
			}
		}
		return best
	}
	// Where the machine did something else in all rounds of one of them, it is tried again.
	for try := 1; ; try++ {
		small, large := took(1000), took(20000)
		t.Logf("10 of 1,000: %v, 10 of 20,000: %v", small, large)
		if large <= 8*small+50*time.Microsecond {
			return
		}
		if try == 10 {
			t.Fatalf("10 of 1,000 take %v, 10 of 20,000 %v", small, large)
		}
	}
}

// An exact list makes an index while others write: it is of its revision anyway.
func TestIndexMadeForAnExactList(t *testing.T) {
	t.Parallel()
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	first, err := source.Create(ctx, "/pods/ns/a", []byte("red"))
	if err != nil {
		t.Fatal(err)
	}
	// The second list that asks for an attribute reads it of every entry, and there somebody else
	// comes.
	asked, created := 0, false
	where := part(0, "red")
	read := where.Read
	where.Read = func(e storage.Entry) (string, bool, error) {
		if asked == 2 && !created {
			created = true
			second, err := source.Create(ctx, "/pods/ns/b", []byte("red"))
			if err != nil {
				t.Error(err)
			}
			if _, err := c.List(ctx, "/pods/", storage.ListOptions{Match: storage.NotOlderThan, Revision: second.Revision}); err != nil {
				t.Error(err)
			}
		}
		return read(e)
	}
	for asked = 1; asked <= 3; asked++ {
		page, err := c.List(ctx, "/pods/", storage.ListOptions{Match: storage.Exact, Revision: first.Revision, Where: where})
		if err != nil {
			t.Fatal(err)
		}
		if page.Revision != first.Revision || len(page.Entries) != 1 {
			t.Errorf("list %d at revision %d is of revision %d and has %d entries", asked, first.Revision, page.Revision, len(page.Entries))
		}
	}
	if !created {
		t.Error("no index was made: the test shows nothing")
	}
}
