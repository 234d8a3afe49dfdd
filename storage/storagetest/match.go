package storagetest

import (
	"fmt"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/storage"
)

// matchTests are the table of what ListOptions.Match and a revision mean together, for every kind
// of selection and page.
var matchTests = []namedTest{
	{"every match at every revision", func(e *env) {
		p := e.somePast()
		current := e.revision()
		for _, selection := range p.selections() {
			for revision := p.start; revision <= current; revision++ {
				p.check(selection, storage.Exact, revision)
				p.check(selection, storage.NotOlderThan, revision)
			}
			for _, revision := range []int64{-1, 0, p.start, current, current + 1000} {
				p.check(selection, storage.Latest, revision)
				p.check(selection, storage.Any, revision)
			}
			p.check(selection, storage.NotOlderThan, 0)
			for _, match := range []storage.Match{storage.NotOlderThan, storage.Exact} {
				_, err := e.s.List(e.ctx, selection, storage.ListOptions{Match: match, Revision: current + 1000})
				e.wantFuture(err, selection, current+1000, current)
			}
			for _, revision := range []int64{0, -1} {
				if _, err := e.s.List(e.ctx, selection, storage.ListOptions{Match: storage.Exact, Revision: revision}); err == nil {
					e.Fatalf("an exact list of %s at %d went well", selection, revision)
				}
			}
		}
	}},
	{"every match after a compaction", func(e *env) {
		p := e.somePast()
		current := e.revision()
		e.Compact(current)
		for _, selection := range p.selections() {
			for revision := p.start; revision < current; revision++ {
				opts := storage.ListOptions{Match: storage.Exact, Revision: revision}
				if page, err := e.s.List(e.ctx, selection, opts); err != nil {
					e.wantCode(err, storage.CodeCompacted, selection)
				} else if !e.Remembers {
					e.Fatalf("the state of %s at %d, compacted at %d, is %+v", selection, revision, current, page)
				} else {
					p.compare(selection, opts, page)
				}
				p.check(selection, storage.NotOlderThan, revision) // a newer one will do
			}
			p.check(selection, storage.Exact, current)
			p.check(selection, storage.Latest, p.start)
			p.check(selection, storage.Any, p.start)
		}
	}},
	{"one entry, not older than and any", func(e *env) {
		p := e.somePast()
		for revision := p.start; revision <= e.revision(); revision++ {
			for _, unordered := range []bool{false, true} {
				opts := storage.GetOptions{NotOlderThan: revision, Any: unordered}
				got, err := e.s.Get(e.ctx, "/pods/ns/a", opts)
				if err != nil {
					e.Fatalf("%+v: %v", opts, err)
				}
				if newest := p.at("/pods/ns/a", e.revision()); !cmp.Equal(newest, []*storage.Entry{&got}) && !unordered {
					e.Fatalf("%+v: got %+v, want %+v", opts, got, newest)
				}
			}
		}
	}},
}

// past is what was written at which revision.
type past struct {
	*env
	start int64 // the revision before
	steps []step
}

type step struct {
	entry   storage.Entry
	deleted bool
}

// somePast writes, changes and deletes here and there.
func (e *env) somePast() *past {
	e.Helper()
	p := &past{env: e, start: e.revision()}
	wrote := func(entry storage.Entry) { p.steps = append(p.steps, step{entry: entry}) }
	wrote(e.create("/pods/ns/b", "1"))
	wrote(e.create("/pods/ns/a", "1"))
	wrote(e.create("/pods/other/c", "1"))
	wrote(e.create("/secrets/ns/a", "1")) // another prefix moves the revision, too
	wrote(e.update("/pods/ns/a", "2"))
	p.steps = append(p.steps, step{entry: e.delete("/pods/ns/b"), deleted: true})
	wrote(e.create("/pods/ns/ab", "1"))
	wrote(e.update("/secrets/ns/a", "2"))
	return p
}

func (p *past) selections() []string {
	return []string{"/pods/", "/pods/ns/", "/pods/none/", "/pods/ns/a", "/pods/ns/b", "/pods/ns/none"}
}

// at is what a selection held at a revision, in key order.
func (p *past) at(selection string, revision int64) []*storage.Entry {
	entries := []*storage.Entry{}
	for _, key := range []string{"/pods/ns/a", "/pods/ns/ab", "/pods/ns/b", "/pods/other/c"} {
		if !storage.Selects(selection, key) {
			continue
		}
		var last *step
		for i := range p.steps {
			if s := &p.steps[i]; s.entry.Key == key && s.entry.Revision <= revision {
				last = s
			}
		}
		if last != nil && !last.deleted {
			entries = append(entries, &last.entry)
		}
	}
	return entries
}

// check lists, all at once and the first entry only, and fails the test if the answer is not one
// that match allows.
func (p *past) check(selection string, match storage.Match, revision int64) {
	p.Helper()
	for _, limit := range []int64{0, 1} {
		opts := storage.ListOptions{Match: match, Revision: revision, Limit: limit}
		p.compare(selection, opts, p.list(selection, opts))
	}
}

func (p *past) compare(selection string, opts storage.ListOptions, got storage.Page) {
	p.Helper()
	current := p.revision()
	low, high := opts.Floor(), current
	switch opts.Match {
	case storage.Latest:
		low = current
	case storage.Exact:
		high = low
	}
	if got.Revision < max(low, 1) || got.Revision > high {
		p.Fatalf("%s %+v: a page at %d, want one from %d to %d", selection, opts, got.Revision, low, high)
	}
	want := storage.Page{Entries: p.at(selection, got.Revision), Revision: got.Revision}
	if n := int64(len(want.Entries)); opts.Limit > 0 && n > opts.Limit {
		want.Entries, want.Remaining = want.Entries[:opts.Limit], n-opts.Limit
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Fatalf("%s (-want +got)\n%s", fmt.Sprintf("%s %+v", selection, opts), diff)
	}
}
