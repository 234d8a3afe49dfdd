package cacher

import (
	"context"

	"github.com/typeplane/typeplane/storage"
)

// A write goes to the source. But an update or a deletion first works on what is in memory, and
// saves the source a read: the transaction says whether that was the newest. If others were faster,
// or if the write came to nothing, the source works it out again from what it holds. So an old
// cache costs time and nothing else.

// Create implements storage.Interface.
func (c *Cacher) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (storage.Entry, error) {
	epoch := c.epoch.Load()
	e, err := c.source.Create(ctx, key, value, with...)
	c.wrote(epoch, e, err)
	return e, err
}

// GuaranteedUpdate implements storage.Interface.
func (c *Cacher) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (e storage.Entry, err error) {
	epoch := c.epoch.Load()
	if known, ok := c.known(key); ok {
		e, err = c.source.UpdateKnown(ctx, known, try)
	} else {
		e, err = c.source.GuaranteedUpdate(ctx, key, try)
	}
	c.wrote(epoch, e, err)
	return e, err
}

// Delete implements storage.Interface.
func (c *Cacher) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	if known, ok := c.known(key); ok {
		return c.source.DeleteKnown(ctx, known, check)
	}
	return c.source.Delete(ctx, key, check)
}

// known returns the newest entry at key that is in memory, if there is one that can be read. It is
// what this process wrote and the source's watch has not told yet, or what the cache holds.
func (c *Cacher) known(key string) (storage.Entry, bool) {
	s := c.current.Load()
	if s == nil || s.epoch != c.epoch.Load() {
		return storage.Entry{}, false // in another history, a revision may be of something else
	}
	if e, ok := c.config.WriteCache.wrote(key, s); ok {
		return e, true
	}
	e, ok := s.tree.Get(key)
	if !ok || e.Err != nil {
		return storage.Entry{}, false
	}
	return *e, true
}

// wrote notes what this process has written, if it has.
func (c *Cacher) wrote(epoch int64, e storage.Entry, err error) {
	if err == nil {
		c.config.WriteCache.confirm(e, epoch)
	}
}
