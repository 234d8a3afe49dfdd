package cacher

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// batchSize is the most events of the log that one Next looks at.
const batchSize = 1000

// watcher is a cursor into the log. It has no goroutine and no queue.
type watcher struct {
	c        *Cacher
	prefix   string
	progress bool

	number int64 // of the next event in the log
	epoch  int64
	after  int64 // everything up to this revision was returned or is not wanted
	seen   int64 // what the cache was at when the cursor last moved; below after as long as that is in the future
	out    []storage.Event
	err    error

	closing sync.Once
	closed  chan struct{}
}

// Watch implements storage.Interface. A revision that is older than the log is CodeCompacted, although the source
// may still have it: a fresh list is cheaper for everyone than a watch of its own on the source. One that the cache
// has yet to reach becomes CodeCompacted too, if a compaction makes the cache skip it.
func (c *Cacher) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := storage.CheckPrefix("watch", prefix); err != nil {
		return nil, err
	}
	if err := storage.CheckWatch(prefix, opts); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(prefix, c.prefix) {
		return c.source.Watch(ctx, prefix, opts)
	}
	if err := c.WaitReady(ctx); err != nil {
		return nil, err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	current := c.current.Load().revision
	w := &watcher{c: c, prefix: prefix, progress: opts.Progress, after: opts.After, seen: current, epoch: c.epoch.Load(), closed: make(chan struct{})}
	if opts.After < c.log.floor {
		return nil, w.compacted(current)
	}
	w.number = c.log.after(opts.After)
	return w, nil
}

// Close implements storage.Watcher.
func (w *watcher) Close() { w.closing.Do(func() { close(w.closed) }) }

// Next implements storage.Watcher.
func (w *watcher) Next(ctx context.Context) ([]storage.Event, error) {
	if w.err != nil {
		return nil, w.err
	}
	var timer *time.Timer
	quiet := false
	for {
		select {
		case <-w.closed:
			return w.fail(storage.ErrClosed)
		case <-w.c.ctx.Done():
			return w.fail(storage.ErrClosed)
		case <-ctx.Done():
			return w.fail(ctx.Err())
		default:
		}
		revision, changed, err := w.collect()
		if err != nil {
			return w.fail(err)
		}
		if len(w.out) > 0 {
			return w.out, nil
		}
		if quiet && revision > w.after {
			w.after = revision
			w.out = append(w.out, storage.Event{Type: storage.Bookmark, Entry: storage.Entry{Revision: revision}})
			return w.out, nil
		}
		if changed == nil {
			continue
		}
		var tick <-chan time.Time
		if w.progress {
			if timer == nil {
				timer = time.NewTimer(w.c.config.BookmarkEvery)
				defer timer.Stop()
			}
			tick = timer.C
		}
		select {
		case <-changed:
		case <-tick:
			quiet = true
		case <-w.closed:
		case <-w.c.ctx.Done():
		case <-ctx.Done():
		}
	}
}

// collect moves the cursor on and puts what belongs to the watch into out. If it comes to the end of the log it
// returns the revision of that and a channel that is closed when there is more.
func (w *watcher) collect() (revision int64, changed chan struct{}, err error) {
	c := w.c
	c.mu.RLock()
	defer c.mu.RUnlock()
	w.out = w.out[:0]
	current := c.current.Load().revision
	if w.epoch != c.epoch.Load() || w.number < c.log.first {
		return 0, nil, w.compacted(current)
	}
	if w.seen < w.after && w.after < c.log.floor {
		// A list may have taken the cache past the start of the watch. The events that stand for such a gap lead from
		// the near side of it: they know nothing of an entry that was created before the start and deleted behind it.
		// A reader that looks late may have only a later gap before it; that is not told apart.
		return 0, nil, w.compacted(current)
	}
	w.seen = current
	rest := c.log.from(w.number)
	for i := range rest {
		ev := &rest[i].event
		if i >= batchSize && ev.Entry.Revision != rest[i-1].event.Entry.Revision {
			return 0, nil, nil
		}
		w.number++
		if ev.Entry.Revision > w.after && strings.HasPrefix(ev.Entry.Key, w.prefix) {
			w.out = append(w.out, *ev)
		}
	}
	if n := len(w.out); n > 0 {
		w.after = w.out[n-1].Entry.Revision
	}
	return current, c.changed, nil
}

func (w *watcher) compacted(current int64) error {
	return &storage.Error{Code: storage.CodeCompacted, Op: "watch", Key: w.prefix, Revision: w.after, Current: current}
}

func (w *watcher) fail(err error) ([]storage.Event, error) {
	w.err = err
	return nil, err
}
