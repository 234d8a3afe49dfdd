package storagetest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

var listTests = []namedTest{
	{"nothing is an empty page with a revision", func(e *env) {
		page := e.list("/pods/", storage.ListOptions{})
		if page.Entries == nil || len(page.Entries) != 0 || page.Revision != e.revision() || page.Remaining != 0 {
			e.Fatalf("got %+v", page)
		}
	}},
	{"key order, whatever the order of writing", func(e *env) {
		for _, k := range []string{"c", "a", "b/x", "b", "ab"} {
			e.create("/pods/ns/"+k, k)
		}
		page := e.list("/pods/ns/", storage.ListOptions{})
		want := []string{"/pods/ns/a=a", "/pods/ns/ab=ab", "/pods/ns/b=b", "/pods/ns/b/x=b/x", "/pods/ns/c=c"}
		if diff := cmp.Diff(want, keys(page.Entries)); diff != "" {
			e.Fatalf("(-want +got)\n%s", diff)
		}
		if page.Revision != e.revision() {
			e.Fatalf("page is at %d, the store at %d", page.Revision, e.revision())
		}
	}},
	{"neighbours with a like name stay out", func(e *env) {
		for _, k := range []string{"/pods/ns", "/pods/ns/a", "/pods/ns2/b", "/pods/n/c", "/pods/ns.x/d", "/pods2/ns/e", "/pod/ns/f"} {
			e.create(k, "x")
		}
		if diff := cmp.Diff([]string{"/pods/ns/a=x"}, keys(e.list("/pods/ns/", storage.ListOptions{}).Entries)); diff != "" {
			e.Fatalf("(-want +got)\n%s", diff)
		}
	}},
	{"the revision is the database's", func(e *env) {
		e.create("/pods/ns/a", "x")
		other := e.create("/secrets/ns/a", "x")
		page := e.list("/pods/", storage.ListOptions{})
		if page.Revision != other.Revision {
			e.Fatalf("page is at %d, want %d", page.Revision, other.Revision)
		}
	}},
	{"not older than", func(e *env) {
		a := e.create("/pods/ns/a", "x")
		e.create("/pods/ns/b", "x")
		page := e.list("/pods/", storage.ListOptions{Match: storage.NotOlderThan, Revision: a.Revision})
		if page.Revision < a.Revision || len(page.Entries) == 0 || page.Entries[0].Key != "/pods/ns/a" {
			e.Fatalf("got %+v", page)
		}
		page = e.list("/pods/", storage.ListOptions{Match: storage.NotOlderThan, Revision: e.revision()})
		if len(page.Entries) != 2 {
			e.Fatalf("got %+v", page)
		}
	}},
	{"a future revision is said to be so", func(e *env) {
		e.create("/pods/ns/a", "x")
		current := e.revision()
		for _, match := range []storage.Match{storage.NotOlderThan, storage.Exact} {
			_, err := e.s.List(e.ctx, "/pods/", storage.ListOptions{Match: match, Revision: current + 1000})
			e.wantFuture(err, "/pods/", current+1000, current)
		}
	}},
	{"any state", func(e *env) {
		a := e.create("/pods/ns/a", "x")
		e.list("/pods/", storage.ListOptions{Match: storage.NotOlderThan, Revision: a.Revision})
		page := e.list("/pods/", storage.ListOptions{Match: storage.Any, Revision: 1 << 60})
		if page.Revision < a.Revision || len(page.Entries) != 1 {
			e.Fatalf("got %+v", page)
		}
	}},
	{"exact: every state of the past", func(e *env) {
		start := e.revision()
		var states []storage.Page
		record := func() { states = append(states, e.list("/pods/", storage.ListOptions{})) }
		record()
		e.create("/pods/ns/a", "1")
		record()
		e.create("/pods/ns/b", "1")
		record()
		e.create("/secrets/ns/b", "1")
		record()
		e.update("/pods/ns/a", "2")
		record()
		e.delete("/pods/ns/b")
		record()
		e.create("/pods/ns/b", "3")
		record()
		e.delete("/pods/ns/a")
		record()
		for _, want := range states {
			if want.Revision < start {
				e.Fatalf("page at %d, the store was at %d", want.Revision, start)
			}
			got := e.list("/pods/", storage.ListOptions{Match: storage.Exact, Revision: want.Revision})
			if diff := cmp.Diff(want, got); diff != "" {
				e.Fatalf("state at %d (-then +now)\n%s", want.Revision, diff)
			}
		}
	}},
	{"exact wants a revision", func(e *env) {
		for _, r := range []int64{0, -1} {
			if _, err := e.s.List(e.ctx, "/pods/", storage.ListOptions{Match: storage.Exact, Revision: r}); err == nil {
				e.Fatalf("exact list at %d went well", r)
			}
		}
	}},
	{"exact: a compacted state is gone", func(e *env) {
		old := e.create("/pods/ns/a", "1")
		e.update("/pods/ns/a", "2")
		now := e.update("/pods/ns/a", "3")
		e.Compact(now.Revision)
		page, err := e.s.List(e.ctx, "/pods/", storage.ListOptions{Match: storage.Exact, Revision: old.Revision})
		switch {
		case err != nil:
			e.wantCode(err, storage.CodeCompacted, "/pods/")
		case !e.Remembers || len(page.Entries) != 1 || string(page.Entries[0].Value) != "1":
			e.Fatalf("got %+v", page)
		}
		page = e.list("/pods/", storage.ListOptions{Match: storage.Exact, Revision: now.Revision})
		if len(page.Entries) != 1 || string(page.Entries[0].Value) != "3" {
			e.Fatalf("at the compacted revision itself: %+v", page)
		}
	}},
	{"limit, start and remaining", func(e *env) {
		for i := range 5 {
			e.create(fmt.Sprintf("/pods/ns/%d", i), "x")
		}
		e.create("/pods/ns2/0", "x")
		for _, tc := range []struct {
			start     string
			limit     int64
			want      []string
			remaining int64
		}{
			{"", 0, []string{"0", "1", "2", "3", "4"}, 0},
			{"", 2, []string{"0", "1"}, 3},
			{"", 5, []string{"0", "1", "2", "3", "4"}, 0},
			{"", 100, []string{"0", "1", "2", "3", "4"}, 0},
			{"/pods/ns/", 1, []string{"0"}, 4},
			{"/pods/ns/3", 1, []string{"3"}, 1},
			{"/pods/ns/3\x00", 0, []string{"4"}, 0},
			{"/pods/ns/2", 0, []string{"2", "3", "4"}, 0},
			{"/pods/ns/4\x00", 3, nil, 0},
		} {
			page := e.list("/pods/ns/", storage.ListOptions{Start: tc.start, Limit: tc.limit})
			want := []string{}
			for _, k := range tc.want {
				want = append(want, "/pods/ns/"+k+"=x")
			}
			if diff := cmp.Diff(want, keys(page.Entries)); diff != "" || page.Remaining != tc.remaining {
				e.Fatalf("start %q limit %d: remaining %d, want %d (-want +got)\n%s", tc.start, tc.limit, page.Remaining, tc.remaining, diff)
			}
		}
	}},
	{"all pages are of one revision", func(e *env) {
		const n = 25
		for i := range n {
			e.create(fmt.Sprintf("/pods/ns/%02d", i), "old")
		}
		opts := storage.ListOptions{Limit: 7}
		var got []*storage.Entry
		for {
			page := e.list("/pods/", opts)
			got = append(got, page.Entries...)
			if want := int64(n - len(got)); page.Remaining != want {
				e.Fatalf("%d remain, want %d", page.Remaining, want)
			}
			if opts.Match == storage.Exact && page.Revision != opts.Revision {
				e.Fatalf("page is at %d, want %d", page.Revision, opts.Revision)
			}
			if page.Remaining == 0 {
				break
			}
			opts.Match, opts.Revision = storage.Exact, page.Revision
			opts.Start = page.Entries[len(page.Entries)-1].Key + "\x00"
			e.update(fmt.Sprintf("/pods/ns/%02d", n-1), "new"+opts.Start)
			e.create(fmt.Sprintf("/pods/ns/%02dx", len(got)+1), "new")
		}
		if len(got) != n {
			e.Fatalf("%d entries, want %d", len(got), n)
		}
		for _, x := range got {
			if string(x.Value) != "old" {
				e.Fatalf("entry of a later state: %+v", x)
			}
		}
	}},
	{"a long list is of one revision while others write", func(e *env) {
		listUnderWrites(e)
	}},
	{"a context that has ended", func(e *env) {
		ctx, cancel := context.WithCancel(e.ctx)
		cancel()
		if _, err := e.s.List(ctx, "/pods/", storage.ListOptions{}); !errors.Is(err, context.Canceled) {
			e.Fatalf("got %v, want context.Canceled", err)
		}
	}},
}

// listUnderWrites lists more entries than fit into one page of a backend while a writer moves the
// first and the last one together. A list that shows them apart mixes two states.
func listUnderWrites(e *env) {
	n := 2600
	if testing.Short() {
		n = 300
	}
	e.fill("/pods/ns/m", n)
	e.create("/pods/ns/a", "0")
	last := e.Put("/pods/ns/z", []byte("0"))
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			value := fmt.Appendf(nil, "%d", i)
			got, err := e.s.GuaranteedUpdate(e.ctx, "/pods/ns/a", func(storage.Entry) ([]byte, []storage.Op, error) {
				return value, []storage.Op{{Key: "/pods/ns/z", Expected: last, Value: value}}, nil
			})
			if err != nil {
				e.Errorf("write %d: %v", i, err)
				return
			}
			last = got.Revision
		}
	}()
	for range 10 {
		page := e.list("/pods/", storage.ListOptions{})
		first, end := page.Entries[0], page.Entries[len(page.Entries)-1]
		if len(page.Entries) != n+2 || first.Key != "/pods/ns/a" || end.Key != "/pods/ns/z" {
			e.Errorf("%d entries from %s to %s, want %d", len(page.Entries), first.Key, end.Key, n+2)
			break
		}
		if string(first.Value) != string(end.Value) || first.Revision > page.Revision {
			e.Errorf("page at %d: first is %s at %d, last is %s at %d", page.Revision, first.Value, first.Revision, end.Value, end.Revision)
			break
		}
	}
	close(stop)
	<-done
}

// fill creates n entries below prefix in few transactions.
func (e *env) fill(prefix string, n int) {
	e.Helper()
	for i := 0; i < n; {
		first := fmt.Sprintf("%s%06d", prefix, i)
		var with []storage.Op
		for i++; i < n && len(with) < 100; i++ {
			with = append(with, storage.Op{Key: fmt.Sprintf("%s%06d", prefix, i), Value: []byte("x")})
		}
		if _, err := e.s.Create(e.ctx, first, []byte("x"), with...); err != nil {
			e.Fatalf("fill: %v", err)
		}
	}
}
