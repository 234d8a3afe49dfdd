package cacher

import (
	"context"
	"errors"
	"time"

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
)

// errCut says that the history can't be joined to the log any more.
var errCut = errors.New("the log has moved on")

// readHistory puts the history before the first list, which was of a revision, into the log.
func (c *Cacher) readHistory(filled int64) {
	defer close(c.historyRead)
	ctx, cancel := context.WithTimeout(c.ctx, historyTime)
	defer cancel()
	history, err := c.history(ctx, filled)
	if err == nil {
		err = c.prepend(history, filled)
	}
	if err != nil && c.ctx.Err() == nil {
		c.config.Log.Debug("watch cache: the history before the start could not be read; watches from there begin anew", "prefix", c.prefix, "error", err)
	}
}

// history reads the events up to a revision, from as far back as the source has them.
func (c *Cacher) history(ctx context.Context, to int64) (*eventLog, error) {
	after := max(1, to-historyRevisions)
	for {
		h, err := c.eventsBetween(ctx, after, to)
		var gone *storage.Error
		if !errors.As(err, &gone) || gone.Code != storage.CodeCompacted || gone.Oldest <= after || gone.Oldest >= to {
			return h, err
		}
		after = gone.Oldest
	}
}

// eventsBetween reads the events after a revision up to another one, the last of them if all would
// be too many.
func (c *Cacher) eventsBetween(ctx context.Context, after, to int64) (*eventLog, error) {
	w, err := c.source.Watch(ctx, c.prefix, storage.WatchOptions{After: after, Progress: true, Prev: true})
	if err != nil {
		return nil, err
	}
	defer w.Close()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	go c.askProgress(asking)
	h, now, last, tree := &eventLog{floor: after}, c.config.Now(), map[string]storage.Entry{}, c.current.Load().tree
	for {
		events, err := w.Next(ctx)
		if err != nil {
			return nil, err
		}
		for _, ev := range events {
			if ev.Entry.Revision <= to && ev.Type != storage.Bookmark {
				if e, ok := tree.Get(ev.Entry.Key); ok && e.Revision == ev.Entry.Revision {
					ev.Entry = *e // so that it is in memory once
				}
				h.add(shared(ev, last), now)
			}
		}
		h.trim(time.Time{}, c.config.LogBytes/4)
		if events[len(events)-1].Entry.Revision >= to {
			return h, nil
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
