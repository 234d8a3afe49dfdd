package cacher

import (
	"cmp"
	"context"
	"slices"

	"github.com/typeplane/typeplane/storage"
)

// What happens when the cache can't simply follow: the first list, a list behind a gap, another history.

// replace makes the cache what page says: at first by taking it, later by working out what has changed.
func (c *Cacher) replace(page storage.Page) {
	s := newState(page.Revision)
	for i := range page.Entries {
		e := page.Entries[i]
		s.tree.Load(e.Key, &e)
		s.bytes += size(&e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.current.Load()
	switch {
	case old == nil:
		c.log.reset(page.Revision)
		c.publish(s)
		close(c.ready)
		return
	case page.Revision < old.revision || c.epoch.Load() != old.epoch:
		// It is another history: a backup was restored behind our back, or the cache was wrong. What watchers know is no
		// longer true.
		s.epoch = c.epoch.Add(1)
		c.wanted = 0
		c.points = nil
		c.log.reset(page.Revision)
		c.publish(s)
		c.parking.wakeAll(c.log.end(), page.Revision)
		return
	}
	s.epoch, s.readings = old.epoch, old.readings
	c.append(differences(old, s), old.revision)
	// Watchers go on over the gap, except those that begin inside it (see collect): what happened in it in which
	// order is not known.
	c.log.floor = page.Revision
	c.points = nil
	c.publish(s)
	c.parking.wakeAll(c.log.end(), old.revision)
}

// differences returns the events that lead from one state to the next, as far as that can still be known: several
// changes of an entry are one, and deletions are at the revision of next.
func differences(old, next *state) []storage.Event {
	var changed, deleted []storage.Event
	next.tree.Scan(func(key string, e *storage.Entry) bool {
		was, there := old.tree.Get(key)
		switch {
		case !there:
			changed = append(changed, storage.Event{Type: storage.Created, Entry: *e})
		case was.Revision != e.Revision:
			changed = append(changed, storage.Event{Type: storage.Modified, Entry: *e, Prev: *was})
		}
		return true
	})
	old.tree.Scan(func(key string, was *storage.Entry) bool {
		if _, there := next.tree.Get(key); !there {
			gone := *was
			gone.Revision = next.revision
			deleted = append(deleted, storage.Event{Type: storage.Deleted, Entry: gone, Prev: *was})
		}
		return true
	})
	slices.SortStableFunc(changed, func(a, b storage.Event) int { return cmp.Compare(a.Entry.Revision, b.Entry.Revision) })
	return append(changed, deleted...)
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
	c.breakWatch()
}

// mistrust makes follow list and begin anew, because the cache is not what the source is: whoever watches gets
// CodeCompacted and lists, too, as nobody knows what it was told. The caller holds mu.
func (c *Cacher) mistrust(why error) {
	c.config.Log.Error("watch cache: the cache is not what the source is, and begins anew; watches end", "prefix", c.prefix, "error", why)
	c.counters.mistrusted.Add(1)
	c.epoch.Add(1)
	c.breakWatch()
}

// breakable returns a context that breakWatch ends.
func (c *Cacher) breakable() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(c.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.breakWatch = cancel
	return ctx, cancel
}
