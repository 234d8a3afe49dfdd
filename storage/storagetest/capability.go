package storagetest

import (
	"errors"
	"fmt"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// capabilityTests are about what a store may have beside storage.Interface; knownTests have the
// rest.
var capabilityTests = []namedTest{
	{"a watch says how far it is when the store is asked", func(e *env) {
		p, ok := e.s.(storage.ProgressRequester)
		if !ok || errors.Is(p.RequestProgress(e.ctx), errors.ErrUnsupported) {
			e.Skip("the store can't be asked for progress")
		}
		first := e.create("/pods/ns/a", "one").Revision
		w, err := e.s.Watch(e.ctx, "/pods/", storage.WatchOptions{After: first, Progress: true})
		if err != nil {
			e.Fatal(err)
		}
		defer w.Close()
		elsewhere := e.create("/nodes/a", "one").Revision
		told := make(chan storage.Event, 1)
		go func() {
			events, err := w.Next(e.ctx)
			if err != nil {
				e.Error(err)
				return
			}
			told <- events[0]
		}()
		e.askUntil(p, told, elsewhere)
	}},
	{"the revisions of a prefix are those of its entries", func(e *env) {
		l, ok := e.s.(storage.RevisionLister)
		if !ok {
			e.Skip("the store does not list revisions")
		}
		a, b := e.create("/pods/ns/a", "one"), e.create("/pods/ns/b", "one")
		e.create("/podsecurity/ns/c", "one")
		then := e.revision()
		e.update("/pods/ns/a", "two")
		e.delete("/pods/ns/b")
		now := e.revision()
		e.wantRevisions(l, then, fmt.Sprintf("/pods/ns/a@%d /pods/ns/b@%d ", a.Revision, b.Revision))
		e.wantRevisions(l, now, fmt.Sprintf("/pods/ns/a@%d ", now-1))
	}},
	{"revisions that are gone, or are not there yet, are refused as by a list", func(e *env) {
		l, ok := e.s.(storage.RevisionLister)
		if !ok {
			e.Skip("the store does not list revisions")
		}
		gone := e.create("/pods/ns/a", "one").Revision
		now := e.update("/pods/ns/a", "two").Revision
		e.Compact(now)
		err := l.EachRevision(e.ctx, "/pods/", gone, func(string, int64) {})
		if code := storage.CodeOf(err); code != storage.CodeCompacted {
			e.Errorf("at a revision that is gone: got error %v, want code %q", err, storage.CodeCompacted)
		}
		err = l.EachRevision(e.ctx, "/pods/", now+1000, func(string, int64) {})
		if code := storage.CodeOf(err); code != storage.CodeFuture {
			e.Errorf("at a revision that is to come: got error %v, want code %q", err, storage.CodeFuture)
		}
	}},
}

// askUntil asks for progress until the watch has told something, which must be a bookmark at a
// revision.
func (e *env) askUntil(p storage.ProgressRequester, told <-chan storage.Event, revision int64) {
	e.Helper()
	for {
		_ = p.RequestProgress(e.ctx) // it may fail, and is asked again
		select {
		case event := <-told:
			if event.Type != storage.Bookmark || event.Entry.Revision < revision {
				e.Fatalf("got %+v, want a bookmark at revision %d or later", event, revision)
			}
			return
		case <-time.After(10 * time.Millisecond):
		case <-e.ctx.Done():
			e.Fatalf("the watch said nothing: %v", e.ctx.Err())
		}
	}
}

func (e *env) wantRevisions(l storage.RevisionLister, at int64, want string) {
	e.Helper()
	got := ""
	err := l.EachRevision(e.ctx, "/pods/", at, func(key string, modified int64) { got += fmt.Sprintf("%s@%d ", key, modified) })
	if err != nil || got != want {
		e.Errorf("at revision %d: got %q and error %v, want %q", at, got, err, want)
	}
}
