package cacher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// The cache is compared with the source now and then, as nothing else would ever find out about a
// change that got lost on the way. It compares keys and revisions of all entries at one revision,
// and the values of a few.
const (
	// sampled is how many values a check reads.
	sampled = 32
	// namedKeys is how many keys are named when the cache is wrong.
	namedKeys = 5
)

// keepChecking runs Check every now and then until Close, whenever it is this cache's turn.
func (c *Cacher) keepChecking() {
	timer := time.NewTimer(c.config.CheckEvery/2 + rand.N(c.config.CheckEvery))
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-c.ctx.Done():
			return
		}
		c.config.CheckLimiter.take(c.ctx, func(ctx context.Context) {
			if err := c.Check(ctx); err != nil && c.ctx.Err() == nil {
				c.config.Log.Warn("watch cache: could not be compared with the source", "prefix", c.prefix, "error", err)
			}
		})
		timer.Reset(c.config.CheckEvery + rand.N(c.config.CheckEvery/2+1))
	}
}

// Check compares the cache with the source: the keys and revisions of all entries, and the values
// of some. If it finds a difference it logs that as an error and makes the cache begin anew;
// Stats().Mistrusted counts it. An error says that the comparison could not be made. It runs by
// itself, see Config.CheckEvery.
func (c *Cacher) Check(ctx context.Context) error {
	begin := time.Now()
	defer func() {
		c.counters.checks.Add(1)
		c.counters.lastCheck.Store(int64(time.Since(begin)))
	}()
	s, err := c.stateFor(ctx, &question{op: "check", key: c.prefix, latest: true})
	if errors.Is(err, errPassive) {
		s, err = c.current.Load(), nil // what it has can be compared anyway
	}
	if err != nil {
		return err
	}
	found := &mismatch{}
	if err := c.compareKeys(ctx, s, found); err != nil {
		return err
	}
	if err := c.compareValues(ctx, s, found); err != nil {
		return err
	}
	if found.count == 0 {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch.Load() == s.epoch {
		c.mistrust(fmt.Errorf("at revision %d they differ: %w", s.revision, found))
	}
	return nil
}

// mismatch is what a check found in some of the entries.
type mismatch struct {
	count int
	first []string
}

func (m *mismatch) add(key string, format string, args ...any) {
	m.count++
	if len(m.first) < namedKeys {
		m.first = append(m.first, key+" "+fmt.Sprintf(format, args...))
	}
}

func (m *mismatch) Error() string {
	return fmt.Sprintf("%d entries, the first are %q", m.count, m.first)
}

// compareKeys walks through the state and the source's keys side by side.
func (c *Cacher) compareKeys(ctx context.Context, s *state, found *mismatch) error {
	iter := s.tree.Iter()
	more := iter.First()
	err := c.source.EachRevision(ctx, c.prefix, s.revision, func(key string, revision int64) {
		for more && iter.Key() < key {
			found.add(iter.Key(), "is not in the database")
			more = iter.Next()
		}
		if !more || iter.Key() > key {
			found.add(key, "is not in the cache")
			return
		}
		if have := iter.Value().Revision; have != revision {
			found.add(key, "is at revision %d, in the cache at %d", revision, have)
		}
		more = iter.Next()
	})
	for ; err == nil && more; more = iter.Next() {
		found.add(iter.Key(), "is not in the database")
	}
	return err
}

// compareValues reads some entries from the source, all if they are few. One that the source can't
// read while the cache has it is no mismatch. A key of encryption has gone, and Reread is yet to
// come, or what is stored is damaged. What clients were told was right, so the log says which it
// is, and no watch ends.
func (c *Cacher) compareValues(ctx context.Context, s *state, found *mismatch) error {
	unreadable := &mismatch{}
	defer func() {
		if unreadable.count > 0 {
			c.config.Log.Error("watch cache: stored values can't be read any more; the cache keeps what it has of them", "prefix", c.prefix, "error", unreadable)
		}
	}()
	n := s.tree.Len()
	for i := range min(sampled, n) {
		if n > sampled {
			i = rand.N(n)
		}
		_, have, _ := s.tree.GetAt(i)
		if err := c.compareValue(ctx, have, found, unreadable); err != nil {
			return err
		}
	}
	return nil
}

// compareValue reads one entry from the source. One that has changed meanwhile is left for another
// time, and one that can be read by now for Reread.
func (c *Cacher) compareValue(ctx context.Context, have *storage.Entry, found, unreadable *mismatch) error {
	want, err := c.source.Get(ctx, have.Key, storage.GetOptions{})
	var e *storage.Error
	errors.As(err, &e)
	switch {
	case e != nil && e.Code == storage.CodeNotFound:
	case e != nil && e.Code == storage.CodeCorrupt:
		if e.Revision == have.Revision && have.Err == nil {
			unreadable.add(have.Key, "at revision %d: %v", e.Revision, e.Err)
		}
	case err != nil:
		return err
	case want.Revision == have.Revision && have.Err == nil && !bytes.Equal(want.Value, have.Value):
		found.add(have.Key, "has another value")
	}
	return nil
}
