package cacher

import (
	"context"
	"errors"

	"github.com/typeplane/typeplane/storage"
)

// A source that can't be asked for progress is passive: its watch says how far it is when it likes.
// A cache that waited for that would answer nobody for seconds after each write of another
// resource. So what the cache has not seen is read from the source. Until the cache has come as far
// as such an answer, every read is, so that no reader goes back in time.

// errBehind says that the cache has not seen a revision and can't ask the source for it.
var errBehind = errors.New("the watch cache is behind, and its source can't be asked for progress")

// requestProgress asks the source once; any failure but one is a reason to ask again. A source that
// can't be asked is passive from then on, and whoever waits is told.
func (c *Cacher) requestProgress() {
	if err := c.source.RequestProgress(c.ctx); !errors.Is(err, errors.ErrUnsupported) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.passive.Store(true)
	close(c.changed)
	c.changed = make(chan struct{})
}

// overtaken says whether a reader was told of a later state than s, by a passive source.
func (c *Cacher) overtaken(s *state) bool {
	if !c.passive.Load() {
		return false
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.wanted > s.revision
}

// toldOf notes that a reader was told of a state.
func (c *Cacher) toldOf(revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wanted = max(c.wanted, revision)
}

// getBehind reads an entry from a passive source. Which state that is of, only a later revision
// says.
func (c *Cacher) getBehind(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	e, err := c.source.Get(ctx, key, opts)
	now, unknown := c.revision.get(ctx)
	if unknown != nil {
		return storage.Entry{}, unknown
	}
	c.toldOf(now)
	return e, err
}

// listBehind reads a page from a passive source.
func (c *Cacher) listBehind(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	page, err := c.source.List(ctx, selection, opts)
	c.toldOf(page.Revision)
	return page, err
}
