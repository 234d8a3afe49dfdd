package cacher

import (
	"errors"

	"github.com/typeplane/typeplane/storage"
)

var errReread = errors.New("the entries are to be read again")

// Reread makes the cache read its entries from the source again, in the background. The source's
// Form may read what it could not read before, or call stale what it did not. No watch ends, and
// nobody gets an event: the objects are the same. Remembered events of current entries are read
// again, too; what has been replaced stays as it was.
func (c *Cacher) Reread() {
	c.config.WriteCache.forget()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reread.Store(true)
	c.breakWatch()
}

// readAgain does what Reread asked for, if it did: it puts what the source holds at the cache's
// revision in the place of what the cache holds. Only follow calls it, which is the only one to
// publish other states.
func (c *Cacher) readAgain() error {
	if !c.reread.Swap(false) {
		return nil
	}
	exactly := storage.ListOptions{Match: storage.Exact, Revision: c.current.Load().revision}
	page, err := c.source.List(c.ctx, c.prefix, exactly)
	if err != nil {
		c.reread.Store(true)
		return err
	}
	c.asked.mu.Lock() // an index that is made meanwhile would be lost
	defer c.asked.mu.Unlock()
	s := c.draft()
	s.readings++
	for _, e := range page.Entries {
		s.set(e)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.log.reread(s.tree)
	c.points = nil // what they hold was read before
	c.publish(s)
	return nil
}

// draft is a draft of the current state that may be changed without mu.
func (c *Cacher) draft() *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.current.Load().ownDraft()
}
