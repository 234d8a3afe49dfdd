package cacher

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/tidwall/btree"

	"github.com/typeplane/typeplane/storage"
)

// Pauses before the source is asked again after an error.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

// pointEvery is how many events lie between two states of the past that are kept.
const pointEvery = 1000

var errWentBack = errors.New("the source is at an earlier revision than it was")

// follow keeps the cache up with the source until Close. An error of the watch makes it go on from where it was;
// only if the source has forgotten that, it lists and works out what has changed.
func (c *Cacher) follow() {
	pause, list := firstPause, true
	for c.ctx.Err() == nil {
		err := c.step(&list, func() { pause = firstPause })
		if c.ctx.Err() != nil {
			return
		}
		c.config.Log.Warn("watch cache: the source's watch broke", "prefix", c.prefix, "error", err, "list again", list)
		select {
		case <-time.After(pause):
		case <-c.ctx.Done():
		}
		pause = min(2*pause, lastPause)
	}
}

// step lists if it must, and then watches until the watch ends. Alive is called whenever the source said something.
func (c *Cacher) step(list *bool, alive func()) error {
	if *list {
		page, err := c.source.List(c.ctx, c.prefix, storage.ListOptions{})
		if err != nil {
			return err
		}
		c.replace(page)
		*list = false
		alive()
	}
	if err := c.readAgain(); err != nil {
		code := storage.CodeOf(err)
		*list = code == storage.CodeCompacted || code == storage.CodeFuture // the latter if the source went back
		return err
	}
	w, err := c.source.Watch(c.ctx, c.prefix, storage.WatchOptions{After: c.current.Load().revision, Progress: true})
	if err != nil {
		*list = storage.CodeOf(err) == storage.CodeCompacted
		return err
	}
	defer w.Close()
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	c.mu.Lock()
	c.breakWatch = cancel
	c.mu.Unlock()
	for {
		if c.epoch.Load() != c.current.Load().epoch {
			*list = true
			return errWentBack
		}
		if c.reread.Load() {
			return errReread
		}
		events, err := w.Next(ctx)
		if c.ctx.Err() == nil && ctx.Err() != nil {
			continue // wentBack: the epoch is another one; or Reread
		}
		if err != nil {
			*list = storage.CodeOf(err) == storage.CodeCompacted
			return err
		}
		alive()
		c.apply(events)
	}
}

// apply puts events into the tree and the log.
func (c *Cacher) apply(events []storage.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.current.Load()
	s := &state{tree: old.tree.Copy(), revision: old.revision, bytes: old.bytes, epoch: old.epoch}
	for _, ev := range events {
		if ev.Type == storage.Bookmark {
			s.revision = max(s.revision, ev.Entry.Revision)
			continue
		}
		if ev.Entry.Revision <= old.revision {
			continue
		}
		s.note(ev, &c.log, c.config.Now())
		s.revision = ev.Entry.Revision
	}
	c.publish(s)
}

// note puts one event into the tree and the log. The value before is the tree's, so that it is in memory once.
func (s *state) note(ev storage.Event, log *eventLog, now time.Time) {
	key := ev.Entry.Key
	var prev storage.Entry
	var there bool
	if ev.Type == storage.Deleted {
		prev, there = s.tree.Delete(key)
	} else {
		prev, there = s.tree.Set(key, ev.Entry)
		s.bytes += size(ev.Entry)
	}
	if there {
		s.bytes -= size(prev)
		ev.Prev = prev
		if ev.Type == storage.Deleted {
			ev.Entry.Value, ev.Entry.Stale, ev.Entry.Err = prev.Value, prev.Stale, prev.Err
		}
	}
	log.add(ev, now)
}

// replace makes the cache what page says: at first by taking it, later by working out what has changed.
func (c *Cacher) replace(page storage.Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &state{tree: new(btree.Map[string, storage.Entry]), revision: page.Revision}
	for _, e := range page.Entries {
		s.tree.Load(e.Key, e)
		s.bytes += size(e)
	}
	old := c.current.Load()
	switch {
	case old == nil:
		c.log.reset(page.Revision)
		c.publish(s)
		close(c.ready)
		return
	case page.Revision < old.revision || c.epoch.Load() != old.epoch:
		// A backup was restored behind our back. What watchers know is no longer true.
		s.epoch = c.epoch.Add(1)
		c.wanted = 0
		c.points = nil
		c.log.reset(page.Revision)
		c.publish(s)
		return
	}
	s.epoch = old.epoch
	for _, ev := range differences(old, s) {
		c.log.add(ev, c.config.Now())
	}
	// Watchers go on over the gap, except those that begin inside it (see collect): what happened in it in which
	// order is not known.
	c.log.floor = page.Revision
	c.points = nil
	c.publish(s)
}

// differences returns the events that lead from one state to the next, as far as that can still be known: several
// changes of an entry are one, and deletions are at the revision of next.
func differences(old, next *state) []storage.Event {
	var changed, deleted []storage.Event
	next.tree.Scan(func(key string, e storage.Entry) bool {
		was, there := old.tree.Get(key)
		switch {
		case !there:
			changed = append(changed, storage.Event{Type: storage.Created, Entry: e})
		case was.Revision != e.Revision:
			changed = append(changed, storage.Event{Type: storage.Modified, Entry: e, Prev: was})
		}
		return true
	})
	old.tree.Scan(func(key string, was storage.Entry) bool {
		if _, there := next.tree.Get(key); !there {
			gone := was
			gone.Revision = next.revision
			deleted = append(deleted, storage.Event{Type: storage.Deleted, Entry: gone, Prev: was})
		}
		return true
	})
	slices.SortStableFunc(changed, func(a, b storage.Event) int { return cmp.Compare(a.Entry.Revision, b.Entry.Revision) })
	return append(changed, deleted...)
}

// publish makes s the current state and tells everyone. The caller holds mu.
func (c *Cacher) publish(s *state) {
	c.log.trim(c.config.Now().Add(-c.config.Window), max(c.config.LogBytes, s.bytes/4))
	if old := c.current.Load(); old != nil && old.revision < s.revision {
		last := c.log.floor
		if n := len(c.points); n > 0 {
			last = c.points[n-1].revision
		}
		if last < old.revision && len(c.log.between(last, old.revision)) >= pointEvery {
			c.points = append(c.points, old)
		}
		c.trimPoints()
	}
	c.current.Store(s)
	close(c.changed)
	c.changed = make(chan struct{})
}

// wentBack notes that the source is at a revision that is lower than one it was at before, and makes follow list.
// Until it has, no linearizable read is answered.
func (c *Cacher) wentBack(now, seen int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch.Load() != c.current.Load().epoch {
		return
	}
	c.config.Log.Error("watch cache: the source went back in time; was a backup restored?", "prefix", c.prefix, "revision", now, "was", seen)
	c.epoch.Add(1)
	if c.breakWatch != nil {
		c.breakWatch()
	}
}
