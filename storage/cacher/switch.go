package cacher

// Switch has the cache begin anew, because its source is another database from swap on: revisions
// of the one say nothing of the other. Whoever watches gets CodeCompacted and lists. Reads of the
// newest state wait until the cache has listed. swap must not call the cache.
func (c *Cacher) Switch(swap func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	swap()
	c.switches.Add(1)
	c.epoch.Add(1)
	c.breakWatch()
	close(c.changed)
	c.changed = make(chan struct{})
}
