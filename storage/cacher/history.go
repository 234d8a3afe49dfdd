package cacher

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// A server that starts again has clients who watched before, and want to go on where they were. So
// a new cache reads, once it is filled, what the source still has of the history before that, and
// puts it into the log.

// The bounds of that. A client that comes back was away for a moment, and heard of the last
// revision a minute ago if nothing happened to what it watches.
const (
	historyRevisions = 50_000
	historyTime      = 3 * time.Second
	// firstSpan is how many revisions are read first, and widest how many times as many are next.
	firstSpan = 16
	widest    = 16
)

// errCut says that the history can't be joined to the log any more.
var errCut = errors.New("the log has moved on")

// readHistory puts the history before the first list, which was of a revision, into the log.
func (c *Cacher) readHistory(filled int64) {
	defer close(c.historyRead)
	ctx, cancel := context.WithTimeout(c.ctx, historyTime)
	defer cancel()
	history, err := c.history(ctx, filled)
	if history != nil {
		err = errors.Join(err, c.prepend(history, filled))
	}
	if err != nil && c.ctx.Err() == nil {
		c.config.Log.Debug("watch cache: the history before the start could not be read; watches from there begin anew", "prefix", c.prefix, "error", err)
	}
}

// history reads the events up to a revision, from as far back as the source has them and bounds
// allow. If that fails on the way, it returns what it has.
//
// etcd sends the events of a thousand revisions at once, however large they are, and all of that is
// in memory. So at first there are few revisions. They tell how many more there may be.
func (c *Cacher) history(ctx context.Context, to int64) (h *eventLog, err error) {
	most := c.config.LogBytes / 2
	first := max(1, to-historyRevisions, c.current.Load().heldSince(to, most))
	for span := int64(firstSpan); ; {
		after := max(first, to-span)
		longer, bytes, err := c.eventsSince(ctx, after, to)
		if err != nil {
			return h, err
		}
		h = longer
		more := min(most/2/max(bytes, 1), widest)
		if after == first || h.floor > after || more < 2 {
			return h, nil
		}
		span *= int64(more)
	}
}

// heldSince is the first revision after which the entries that are there by now make no more than
// so many bytes, up to a revision.
func (s *state) heldSince(to int64, most int) int64 {
	var newest []*storage.Entry
	s.tree.Scan(func(_ string, e *storage.Entry) bool {
		if e.Revision > to-historyRevisions && e.Revision <= to {
			newest = append(newest, e)
		}
		return true
	})
	slices.SortFunc(newest, func(a, b *storage.Entry) int { return cmp.Compare(b.Revision, a.Revision) })
	for _, e := range newest {
		if most -= size(e); most < 0 {
			return e.Revision
		}
	}
	return 0
}

// eventsSince is eventsBetween from where the source has them, if it has forgotten the first.
func (c *Cacher) eventsSince(ctx context.Context, after, to int64) (*eventLog, int, error) {
	for {
		h, bytes, err := c.eventsBetween(ctx, after, to)
		var gone *storage.Error
		if !errors.As(err, &gone) || gone.Code != storage.CodeCompacted || gone.Oldest <= after || gone.Oldest >= to {
			return h, bytes, err
		}
		after = gone.Oldest
	}
}

// eventsBetween reads the events after a revision up to another one, the last of them if all would
// be too many. bytes is how large all were.
func (c *Cacher) eventsBetween(ctx context.Context, after, to int64) (h *eventLog, bytes int, err error) {
	w, err := c.source.Watch(ctx, c.prefix, storage.WatchOptions{After: after, Progress: true, Prev: true})
	if err != nil {
		return nil, 0, err
	}
	defer w.Close()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	go recovery.Loop(asking, c.config.Log, "watch cache", c.askProgress)
	h = &eventLog{floor: after}
	now, last, tree := c.config.Now(), map[string]storage.Entry{}, c.current.Load().tree
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		for _, ev := range events {
			if ev.Entry.Revision <= to && ev.Type != storage.Bookmark {
				bytes += eventBytes + len(ev.Entry.Value) + len(ev.Prev.Value)
				if e, ok := tree.Get(ev.Entry.Key); ok && e.Revision == ev.Entry.Revision {
					ev.Entry = *e // so that it is in memory once
				}
				h.add(shared(ev, last), now)
			}
		}
		h.trim(time.Time{}, c.config.LogBytes/4)
		if events[len(events)-1].Entry.Revision >= to {
			return h, bytes, nil
		}
	}
}

// shared returns ev with its previous entry as the event before it of the same key has it, so that
// it is in memory once.
func shared(ev storage.Event, last map[string]storage.Entry) storage.Event {
	if e, ok := last[ev.Entry.Key]; ok && e.Revision == ev.Prev.Revision {
		ev.Prev = e
		if ev.Type == storage.Deleted {
			ev.Entry.Value, ev.Entry.Stale, ev.Entry.Err = e.Value, e.Stale, e.Err
		}
	}
	last[ev.Entry.Key] = ev.Entry
	return ev
}

// askProgress asks the source again and again how far it is, until ctx ends: only an answer to that
// says where a history ends in which nothing happens.
func (c *Cacher) askProgress(ctx context.Context) {
	for ctx.Err() == nil {
		_ = c.source.RequestProgress(ctx) // it is asked again in any case
		select {
		case <-time.After(progressEvery):
		case <-ctx.Done():
		}
	}
}

// prepend joins a history, which ends at a revision, to the log.
func (c *Cacher) prepend(history *eventLog, to int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.log.floor != to || c.epoch.Load() != 0 {
		return errCut
	}
	c.log.prepend(history)
	c.log.reread(c.current.Load().tree)
	return nil
}

// waitHistory waits for the history if a watch wants a part of it. historyTime bounds that.
func (c *Cacher) waitHistory(ctx context.Context, after int64) {
	c.mu.RLock()
	missing := after < c.log.floor
	c.mu.RUnlock()
	if !missing {
		return
	}
	select {
	case <-c.historyRead:
	case <-ctx.Done():
	case <-c.ctx.Done():
	}
}
