package memory

import (
	"context"
	"sync"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// batch is the most changes that a call of Next looks at.
const batch = 1000

// watcher walks the list of changes. Only Close may be called by another goroutine than the
// reader's.
type watcher struct {
	store     *Store
	selection string // below the root
	progress  bool
	prev      bool // the values before are wanted

	last  *change // the last change that was looked at
	after int64   // every event up to this revision has been returned or is not wanted
	asked int64   // Database.asked at the last bookmark
	out   []storage.Event
	err   error

	closing sync.Once
	closed  chan struct{}
}

// Watch implements storage.Interface.
func (s *Store) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := storage.CheckWatch(selection, opts); err != nil {
		return nil, err
	}
	s.db.mu.RLock()
	defer s.db.mu.RUnlock()
	if opts.After < s.db.compacted {
		return nil, &storage.Error{Code: storage.CodeCompacted, Op: "watch", Key: selection, Revision: opts.After, Oldest: s.db.compacted}
	}
	w := &watcher{store: s, selection: selection, progress: opts.Progress, prev: opts.Prev, after: opts.After, asked: s.db.asked,
		last: s.db.oldest, closed: make(chan struct{})}
	for w.last.next != nil && w.last.next.now.revision <= opts.After {
		w.last = w.last.next
	}
	return w, nil
}

// Close implements storage.Watcher.
func (w *watcher) Close() { w.closing.Do(func() { close(w.closed) }) }

// Next implements storage.Watcher.
func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	if w.err != nil {
		return nil, w.err
	}
	quiet := false
	timer := time.NewTimer(w.store.progress)
	defer timer.Stop()
	for {
		select {
		case <-w.closed:
			return nil, w.fail(storage.ErrClosed)
		case <-ctx.Done():
			return nil, w.fail(ctx.Err())
		default:
		}
		changes, revision, more, changed, asked := w.collect()
		w.out = w.out[:0]
		for _, c := range changes {
			w.out = append(w.out, w.event(c))
		}
		if len(w.out) > 0 {
			return w.out, nil
		}
		if !more && w.progress && revision > w.after && (quiet || asked) {
			w.after = revision
			return append(w.out, storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: revision}}), nil
		}
		if more {
			continue
		}
		select {
		case <-changed:
		case <-timer.C:
			quiet = true
		case <-w.closed:
		case <-ctx.Done():
		}
	}
}

// collect moves the cursor and returns the changes that it passed and that belong to the watch.
// More says that it did not reach the end; else revision is that of the end, and changed is closed
// when there is news. Asked says that somebody wants a bookmark.
func (w *watcher) collect() (found []*change, revision int64, more bool, changed chan struct{}, asked bool) {
	db := w.store.db
	db.mu.RLock()
	defer db.mu.RUnlock()
	selection := w.store.root + w.selection
	for seen := 0; w.last.next != nil; seen++ {
		if seen >= batch && w.last.next.now.revision != w.last.now.revision {
			return found, 0, true, nil, false
		}
		w.last = w.last.next
		if w.last.now.revision > w.after && storage.Selects(selection, w.last.key) {
			found = append(found, w.last)
		}
	}
	if len(found) > 0 {
		// The changes of one revision are appended together, so none of this one is missing.
		w.after = found[len(found)-1].now.revision
	} else if db.asked != w.asked {
		w.asked, asked = db.asked, true
	}
	return found, db.revision, false, db.changed, asked
}

func (w *watcher) event(c *change) storage.Event {
	s := w.store
	key := c.key[len(s.root):]
	var e storage.Event
	if c.was.revision > 0 && w.prev {
		e.Prev = s.form.ReadEntry(key, c.was.value, c.was.revision)
	}
	switch {
	case c.now.deleted:
		e.Type, e.Entry = storage.Deleted, e.Prev
		e.Entry.Key, e.Entry.Revision = key, c.now.revision
	case c.was.revision > 0:
		e.Type, e.Entry = storage.Modified, s.form.ReadEntry(key, c.now.value, c.now.revision)
	default:
		e.Type, e.Entry = storage.Created, s.form.ReadEntry(key, c.now.value, c.now.revision)
	}
	return e
}

func (w *watcher) fail(err error) error {
	w.err = err
	return err
}
