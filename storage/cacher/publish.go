package cacher

// publish makes s the current state and tells everyone who waits for one. The caller holds mu.
func (c *Cacher) publish(s *state) {
	c.log.trim(c.config.Now().Add(-c.config.Window), max(c.config.LogBytes, s.bytes/4))
	c.keepPoint(s)
	c.current.Store(s)
	close(c.changed)
	c.changed = make(chan struct{})
}
