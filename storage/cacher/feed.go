package cacher

import (
	"errors"
	"fmt"
	"time"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// Pauses before the source is asked again after an error.
const (
	firstPause = 10 * time.Millisecond
	lastPause  = time.Second
)

var (
	errWentBack = errors.New("the source's history is another one than it was")
	errLost     = errors.New("the source's watch has left out a change")
)

// follow keeps the cache up with the source until Close. An error of the watch makes it go on from
// where it was; only if the source has forgotten that, it lists and works out what has changed.
func (c *Cacher) follow() {
	pause, list := firstPause, true
	for c.ctx.Err() == nil {
		err := recovery.Call(c.config.Log, "watch cache", c.prefix, func() error { return c.step(&list, func() { pause = firstPause }) })
		if c.ctx.Err() != nil {
			return
		}
		if errors.Is(err, errReread) {
			continue // nothing is broken
		}
		c.counters.broken.Add(1)
		c.config.Log.Warn("watch cache: the source's watch broke", "prefix", c.prefix, "error", err, "list again", list)
		select {
		case <-time.After(pause):
		case <-c.ctx.Done():
		}
		pause = min(2*pause, lastPause)
	}
}

// step lists if it must, and then watches until the watch ends. Alive is called whenever the source
// said something.
func (c *Cacher) step(list *bool, alive func()) error {
	if *list {
		switches := c.switches.Load()
		page, err := c.source.List(c.ctx, c.prefix, storage.ListOptions{})
		if err != nil {
			return err
		}
		c.counters.lists.Add(1)
		if !c.replace(page, switches) {
			return errSwitched
		}
		*list = false
		alive()
	}
	if err := c.readAgain(); err != nil {
		code := storage.CodeOf(err)
		*list = code == storage.CodeCompacted || code == storage.CodeFuture // the latter if the source went back
		return err
	}
	options := storage.WatchOptions{After: c.current.Load().revision, Progress: true}
	w, err := c.source.Watch(c.ctx, c.prefix, options)
	if err != nil {
		*list = storage.CodeOf(err) == storage.CodeCompacted
		return err
	}
	defer w.Close()
	ctx, cancel := c.breakable()
	defer cancel()
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
			continue // the epoch is another one; or Reread
		}
		if err != nil {
			*list = storage.CodeOf(err) == storage.CodeCompacted
			return err
		}
		alive()
		if err := c.apply(events); err != nil {
			*list = true
			return err
		}
	}
}

// apply puts events into the tree and the log, and wakes whom they concern. It fails if they can't
// follow what the cache has; then it has changed nothing but the epoch.
func (c *Cacher) apply(events []storage.Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.current.Load()
	s := old.draft()
	changes := make([]storage.Event, 0, len(events))
	for _, ev := range events {
		if ev.Type == storage.Bookmark {
			s.revision = max(s.revision, ev.Entry.Revision)
			continue
		}
		if ev.Entry.Revision <= old.revision {
			continue
		}
		change, ok := s.note(ev)
		if !ok {
			err := fmt.Errorf("%w: %s at revision %d", errLost, ev.Entry.Key, ev.Entry.Revision)
			c.mistrust(err)
			return err
		}
		changes = append(changes, change)
		s.revision = ev.Entry.Revision
	}
	c.append(changes)
	c.publish(s)
	return nil
}

// note puts one event into the tree and completes it with what was there before. ok is false if the
// tree says that the source has left out something: what is created was there, or what is modified
// was not.
func (s *state) note(ev storage.Event) (complete storage.Event, ok bool) {
	var was *storage.Entry
	if ev.Type == storage.Deleted {
		was = s.remove(ev.Entry.Key)
	} else {
		now := ev.Entry
		was = s.set(&now)
	}
	if (was == nil) != (ev.Type == storage.Created) {
		return ev, false
	}
	if was != nil {
		ev.Prev = *was
	}
	if ev.Type == storage.Deleted {
		ev.Entry.Value, ev.Entry.Stale, ev.Entry.Err = was.Value, was.Stale, was.Err
	}
	return ev, true
}

// append adds changes to the log and wakes whom they concern. Up to revision, nothing is missing in
// the log. What one watcher makes of an event is kept if there are others. The caller holds mu, and
// publishes before it lets go of it.
func (c *Cacher) append(changes []storage.Event) {
	number, now, several := c.log.end(), c.config.Now(), c.waiters.several()
	for _, ev := range changes {
		if several {
			ev.Encodings = &encodings{room: &c.log.room}
		}
		c.log.add(ev, now)
	}
	c.waiters.wake(changes, number)
}
