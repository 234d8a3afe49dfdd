package cacher

import (
	"context"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/storage"
)

// What happens when the cache can't simply follow: the first list, a list behind a gap, another
// history.

// replace makes the cache what page says. What happened between the last state and page is not
// known any more, or it is another history. A backup was restored behind our back, or the cache was
// wrong. A watcher that does not begin at the page or behind it gets CodeCompacted and lists, too.
// Events that only lead from one state to the other would not do. A deletion among them would have
// no revision of its own, and a client that is cut off behind the first of several could not ask
// for the others.
//
// It does nothing, and says so, if the page is of a source that is another one since.
func (c *Cacher) replace(page storage.Page, switches int64) bool {
	s := newState(page.Revision)
	for _, e := range page.Entries {
		s.tree.Load(e.Key, e)
		s.bytes += size(e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.switches.Load() != switches {
		return false
	}
	old := c.current.Load()
	switch {
	case old == nil:
		defer func() {
			c.wg.Go(func() { // it reads s
				_ = recovery.Object(c.config.Log, "watch cache", c.prefix, func() { c.readHistory(page.Revision) })
			})
			close(c.ready)
		}()
	case page.Revision < old.revision || c.epoch.Load() != old.epoch:
		s.epoch = c.epoch.Add(1)
		c.wanted, c.lateUntil = 0, 0
		c.told.Store(0)
	default:
		s.epoch, s.readings = old.epoch, old.readings
	}
	c.points = nil
	c.log.reset(page.Revision)
	c.publish(s)
	c.waiters.wakeAll(c.log.first - 1)
	return true
}

// wentBack notes that the source is at a revision that is lower than one it was at before, and
// makes follow list. Until it has, no linearizable read is answered.
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

// mistrust makes follow list and begin anew, because the cache is not what the source is: whoever
// watches gets CodeCompacted and lists, too, as nobody knows what it was told. The caller holds mu.
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
