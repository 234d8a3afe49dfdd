package memory

import (
	"context"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/internal/cursor"
)

// batch is the most changes that a call of Next looks at.
const batch = 1000

// watcher walks the list of changes. Only Close may be called by another goroutine than the
// reader's.
type watcher struct {
	cursor.Cursor
	store *Store
	prev  bool    // the values before are wanted
	last  *change // the last change that was looked at
	asked int64   // Database.asked at the last bookmark
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
	w := &watcher{Cursor: cursor.New(selection, opts, s.progress), store: s, prev: opts.Prev, last: s.db.oldest, asked: s.db.asked}
	for w.last.next != nil && w.last.next.now.revision <= opts.After {
		w.last = w.last.next
	}
	return w, nil
}

// Next implements storage.Watcher.
func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	return w.Cursor.Next(ctx, w)
}

// Advance implements cursor.History.
func (w *watcher) Advance(quiet bool) (news <-chan struct{}, err error) {
	changes, revision, more, changed, asked := w.collect()
	for _, c := range changes {
		w.Out = append(w.Out, w.event(c))
	}
	if len(w.Out) == 0 && !more && w.Progress && (quiet || asked) {
		w.Bookmark(revision)
	}
	return changed, nil
}

// collect moves the cursor and returns the changes that it passed and that belong to the watch.
// More says that it did not reach the end; else revision is that of the end, and changed is closed
// when there is news. Asked says that somebody wants a bookmark.
func (w *watcher) collect() (found []*change, revision int64, more bool, changed chan struct{}, asked bool) {
	db := w.store.db
	db.mu.RLock()
	defer db.mu.RUnlock()
	selection := w.store.root + w.Selection
	for seen := 0; w.last.next != nil; seen++ {
		if seen >= batch && w.last.next.now.revision != w.last.now.revision {
			return found, 0, true, nil, false
		}
		w.last = w.last.next
		if w.last.now.revision > w.After && storage.Selects(selection, w.last.key) {
			found = append(found, w.last)
		}
	}
	if len(found) > 0 {
		// The changes of one revision are appended together, so none of this one is missing.
		w.After = found[len(found)-1].now.revision
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
