package cacher

import "time"

// Stats is what a cache holds and what has happened to it.
type Stats struct {
	// Entries and Bytes are of the current entries, Indexes is how many attributes they can be
	// found by.
	Entries, Bytes, Indexes int
	// Events and EventBytes are of the log, with the encodings of events. Early is how many events
	// had to go before Config.Window was over, because the log was over its bytes. Watchers that
	// were slower than that were sent away.
	Events, EventBytes int
	Early              int64
	// Revision is what the cache is at; the log has every event after OldestLog.
	Revision, OldestLog int64
	// Watches is how many are open, Waiting how many of them have nothing to do. Woken is how often
	// one of them was given something to do.
	Watches, Waiting int
	Woken            int64
	// Broken is how often the source's watch broke, Lists how often the source was listed,
	// Mistrusted how often the cache was found to be wrong and began anew.
	Broken, Lists, Mistrusted int64
	// Late is how often the cache was found to be more than Config.Wait behind, Passed how many
	// reads the source answered because the cache was behind.
	Late, Passed int64
	// Checks is how often the cache was compared with the source, LastCheck how long that took the
	// last time.
	Checks    int64
	LastCheck time.Duration
}

// Stats returns what the cache holds now.
func (c *Cacher) Stats() Stats {
	n := &c.counters
	s := Stats{
		Broken: n.broken.Load(), Lists: n.lists.Load(), Mistrusted: n.mistrusted.Load(),
		Late: n.late.Load(), Passed: n.passed.Load(),
		Checks: n.checks.Load(), LastCheck: time.Duration(n.lastCheck.Load()),
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	s.Events, s.EventBytes, s.OldestLog, s.Early = c.log.len(), c.log.bytes+int(c.log.room.used.Load()), c.log.floor, c.log.early
	s.Watches, s.Waiting, s.Woken = c.waiters.count()
	if cur := c.current.Load(); cur != nil {
		s.Entries, s.Bytes, s.Revision, s.Indexes = cur.tree.Len(), cur.bytes, cur.revision, len(cur.indexes)
	}
	return s
}

// count returns how many watchers there are, how many of them wait, and how often one was woken.
func (p *waiters) count() (all, waiting int, woken int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.groups {
		for w := s.waiting; w != nil; w = w.next {
			waiting++
		}
	}
	return p.all, waiting, p.woken
}
