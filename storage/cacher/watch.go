package cacher

import (
	"context"
	"strings"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/internal/cursor"
)

// batchSize is the most events of the log that a call of Next looks at.
const batchSize = 1000

// watcher is a cursor into the log. It has no goroutine and no queue.
type watcher struct {
	cursor.Cursor
	c *Cacher

	number int64 // of the next event in the log
	epoch  int64

	group      *group
	prev, next *watcher // in the list of group; guarded by waiters.mu, as the next three are
	idle       bool
	left       bool
	from       int64         // the number of the event that woke it, -1 for none
	news       chan struct{} // holds a token when it was woken
}

// Watch implements storage.Interface. A revision that is older than the log is CodeCompacted,
// although the source may still have it. A fresh list is cheaper for everyone than a watch of its
// own on the source. One that the cache has yet to reach becomes CodeCompacted too, if a compaction
// makes the cache skip it. With opts.Where, a watch is not woken by changes that do not concern it,
// but may return them with others.
func (c *Cacher) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := storage.CheckWatch(selection, opts); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(selection, c.prefix) {
		return c.source.Watch(ctx, selection, opts)
	}
	if err := c.waitFilled(ctx, "watch", selection); err != nil {
		return nil, err
	}
	c.waitHistory(ctx, opts.After)
	c.mu.RLock()
	defer c.mu.RUnlock()
	w := &watcher{Cursor: cursor.New(selection, opts, c.config.BookmarkEvery), c: c, epoch: c.epoch.Load(), news: make(chan struct{}, 1)}
	if opts.After < c.log.floor {
		return nil, w.compacted()
	}
	w.number = c.log.after(opts.After)
	c.waiters.join(w, selection, opts.Where)
	return w, nil
}

// Close implements storage.Watcher.
func (w *watcher) Close() {
	w.Cursor.Close()
	w.c.waiters.leave(w)
}

// Next implements storage.Watcher.
func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	events, err := w.Cursor.Next(ctx, w)
	if err != nil {
		w.c.waiters.leave(w)
	}
	return events, err
}

// Advance implements cursor.History. A watch that is at the end of the log, and for which there was
// nothing, is idle.
func (w *watcher) Advance(quiet bool) (news <-chan struct{}, err error) {
	c := w.c
	c.mu.RLock()
	defer c.mu.RUnlock()
	current := c.current.Load().revision
	w.number = c.waiters.resume(w, c.log.end())
	if w.number < c.log.first && w.After >= c.log.floor {
		w.number = c.log.after(w.After) // what the log has lost is not wanted
	}
	if w.epoch != c.epoch.Load() || w.number < c.log.first {
		return nil, w.compacted()
	}
	rest := c.log.from(w.number)
	for i := range rest {
		ev := &rest[i].event
		if i >= batchSize && ev.Entry.Revision != rest[i-1].event.Entry.Revision {
			return nil, nil
		}
		w.number++
		if ev.Entry.Revision > w.After && storage.Selects(w.Selection, ev.Entry.Key) {
			w.Out = append(w.Out, *ev)
		}
	}
	if n := len(w.Out); n > 0 {
		w.After = w.Out[n-1].Entry.Revision
		return w.news, nil
	}
	if quiet {
		w.Bookmark(current)
	}
	if len(w.Out) == 0 {
		c.waiters.wait(w)
	}
	// Close wakes who waits by now; who comes later sees that it has begun.
	if c.ctx.Err() != nil {
		return nil, storage.ErrClosed
	}
	return w.news, nil
}

// compacted is for a watch whose place is not in the log any more. The caller holds Cacher.mu.
func (w *watcher) compacted() error {
	return &storage.Error{Code: storage.CodeCompacted, Op: "watch", Key: w.Selection, Revision: w.After, Oldest: w.c.log.floor}
}
