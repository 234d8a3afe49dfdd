package cacher

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// batchSize is the most events of the log that a call of Next looks at.
const batchSize = 1000

// watcher is a cursor into the log. It has no goroutine and no queue.
type watcher struct {
	c         *Cacher
	selection string
	progress  bool

	number int64 // of the next event in the log
	epoch  int64
	after  int64 // everything up to this revision was returned or is not wanted
	out    []storage.Event
	err    error
	timer  *time.Timer // of bookmarks; nil until one is waited for

	group      *group
	prev, next *watcher // in the list of group; guarded by waiters.mu, as the next three are
	idle       bool
	left       bool
	from       int64         // the number of the event that woke it, -1 for none
	news       chan struct{} // holds a token when it was woken

	closing sync.Once
	closed  chan struct{}
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
	w := &watcher{c: c, selection: selection, progress: opts.Progress, after: opts.After, epoch: c.epoch.Load(),
		news: make(chan struct{}, 1), closed: make(chan struct{})}
	if opts.After < c.log.floor {
		return nil, w.compacted()
	}
	w.number = c.log.after(opts.After)
	c.waiters.join(w, selection, opts.Where)
	return w, nil
}

// Close implements storage.Watcher.
func (w *watcher) Close() {
	w.closing.Do(func() {
		close(w.closed)
		w.c.waiters.leave(w)
	})
}

// Next implements storage.Watcher.
func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	if w.err != nil {
		return nil, w.err
	}
	if w.progress {
		w.resetTimer()
	}
	for quiet := false; ; {
		select {
		case <-w.closed:
			return w.fail(storage.ErrClosed)
		case <-w.c.ctx.Done():
			return w.fail(storage.ErrClosed)
		case <-ctx.Done():
			return w.fail(ctx.Err())
		default:
		}
		more, err := w.collect(quiet)
		if err != nil {
			return w.fail(err)
		}
		if len(w.out) > 0 {
			return w.out, nil
		}
		if more {
			continue
		}
		var tick <-chan time.Time
		if w.progress {
			tick = w.timer.C
		}
		select {
		case <-w.news:
		case <-tick:
			quiet = true
			w.resetTimer()
		case <-w.closed:
		case <-w.c.ctx.Done():
		case <-ctx.Done():
		}
	}
}

func (w *watcher) resetTimer() {
	if w.timer == nil {
		w.timer = time.NewTimer(w.c.config.BookmarkEvery)
	} else {
		w.timer.Reset(w.c.config.BookmarkEvery)
	}
}

// collect moves the cursor on and puts what belongs to the watch into out; if that is nothing and
// quiet is set, a bookmark. More says that it did not come to the end of the log. If it did and
// there is nothing, the watch is idle.
func (w *watcher) collect(quiet bool) (more bool, err error) {
	c := w.c
	c.mu.RLock()
	defer c.mu.RUnlock()
	w.out = w.out[:0]
	current := c.current.Load().revision
	w.number = c.waiters.resume(w, c.log.end())
	if w.number < c.log.first && w.after >= c.log.floor {
		w.number = c.log.after(w.after) // what the log has lost is not wanted
	}
	if w.epoch != c.epoch.Load() || w.number < c.log.first {
		return false, w.compacted()
	}
	rest := c.log.from(w.number)
	for i := range rest {
		ev := &rest[i].event
		if i >= batchSize && ev.Entry.Revision != rest[i-1].event.Entry.Revision {
			return true, nil
		}
		w.number++
		if ev.Entry.Revision > w.after && storage.Selects(w.selection, ev.Entry.Key) {
			w.out = append(w.out, *ev)
		}
	}
	if n := len(w.out); n > 0 {
		w.after = w.out[n-1].Entry.Revision
		return false, nil
	}
	if quiet && current > w.after {
		w.after = current
		w.out = append(w.out, storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: current}})
		return false, nil
	}
	c.waiters.wait(w)
	return false, nil
}

// compacted is for a watch whose place is not in the log any more. The caller holds Cacher.mu.
func (w *watcher) compacted() error {
	return &storage.Error{Code: storage.CodeCompacted, Op: "watch", Key: w.selection, Revision: w.after, Oldest: w.c.log.floor}
}

func (w *watcher) fail(err error) ([]storage.Event, error) {
	w.err = err
	w.c.waiters.leave(w)
	return nil, err
}
