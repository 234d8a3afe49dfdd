package cacher

import (
	"context"
	"errors"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// progressEvery is how long the source has to answer a request for progress before it is asked
// again.
const progressEvery = 50 * time.Millisecond

var errNotFilled = errors.New("the watch cache has not read everything yet")

// stateFor returns a state that is good enough for the question, or an error that may say that the
// source is to answer it, see question.sourceAnswers.
func (c *Cacher) stateFor(ctx context.Context, q *question) (*state, error) {
	if err := c.waitFilled(ctx, q.op, q.key); err != nil {
		return nil, err
	}
	s := c.current.Load()
	if !q.latest && s.revision >= q.floor && !c.overtaken(s) {
		return s, nil
	}
	for {
		switches, before := c.switches.Load(), c.current.Load().revision
		now, err := c.revision.get(ctx)
		if err != nil {
			return nil, err
		}
		if c.switches.Load() != switches {
			continue // it may be of another history
		}
		if err := storage.CheckReached(q.op, q.key, q.floor, now); err != nil {
			return nil, err
		}
		if now < before {
			c.wentBack(now, before)
		}
		if s, err := c.waitFor(ctx, q, max(q.floor, now), switches); !errors.Is(err, errSwitched) {
			return s, err
		}
	}
}

// errSwitched says that the cache has another source than when the wait began.
var errSwitched = errors.New("the source is another one")

// waitFilled waits for the first list of the source, but not for long: that of a large prefix may
// take a while.
func (c *Cacher) waitFilled(ctx context.Context, op, key string) error {
	if c.filled() {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, c.config.Wait)
	defer cancel()
	err := c.WaitReady(short)
	if err != nil && short.Err() != nil && ctx.Err() == nil && c.ctx.Err() == nil {
		return &storage.Error{Code: storage.CodeNotReady, Op: op, Key: key, Err: errNotFilled}
	}
	return err
}

// filled says whether the cache has been filled.
func (c *Cacher) filled() bool { return c.current.Load() != nil }

// waitFor returns the first state at revision or later. For an answer that the source may give, it
// does not wait for a cache of which it is known that it is late.
func (c *Cacher) waitFor(ctx context.Context, q *question, revision, switches int64) (*state, error) {
	if s := c.current.Load(); s.revision >= revision && s.epoch == c.epoch.Load() {
		return s, nil
	}
	timer := time.NewTimer(c.config.Wait)
	defer timer.Stop()
	for {
		c.mu.Lock()
		s, changed, late := c.current.Load(), c.changed, false
		sameHistory := s.epoch == c.epoch.Load()
		enough := s.revision >= revision && sameHistory
		if !enough {
			c.wanted = max(c.wanted, revision)
			late = q.cheap && sameHistory && s.revision < c.lateUntil
		}
		c.mu.Unlock()
		switch {
		case c.switches.Load() != switches:
			return nil, errSwitched
		case enough:
			return s, nil
		case c.passive.Load():
			return nil, errPassive
		case late:
			return nil, errLate
		}
		select {
		case c.kick <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-c.ctx.Done():
			return nil, storage.ErrClosed
		case <-timer.C:
			return nil, c.late(q, revision)
		}
	}
}

// pushProgress asks the source for progress as long as a reader waits for a revision that the cache
// has not seen. It asks now and then in any case. Where nothing happens below the prefix, a cache
// that knew nothing of what happens elsewhere would have no news for bookmarks. It could not go on
// from where it is after a compaction either.
func (c *Cacher) pushProgress() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	quiet := time.NewTicker(c.config.BookmarkEvery)
	defer quiet.Stop()
	for {
		select {
		case <-c.kick:
		case <-quiet.C:
			if c.requestProgress(); c.passive.Load() {
				return
			}
			continue
		case <-c.ctx.Done():
			return
		}
		for {
			c.mu.RLock()
			behind, changed := c.wanted > c.current.Load().revision, c.changed
			c.mu.RUnlock()
			if !behind {
				break
			}
			if c.requestProgress(); c.passive.Load() {
				return
			}
			timer.Reset(progressEvery)
			select {
			case <-changed:
			case <-timer.C:
			case <-c.ctx.Done():
				return
			}
		}
	}
}

// WaitReady returns when the cache is filled for the first time; with the context's error or
// storage.ErrClosed if that ends before.
func (c *Cacher) WaitReady(ctx context.Context) error {
	select {
	case <-c.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-c.ctx.Done():
		return storage.ErrClosed
	}
}
