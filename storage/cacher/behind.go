package cacher

import (
	"context"
	"errors"
	"fmt"

	"github.com/typeplane/typeplane/storage"
)

// A cache can be behind its source for longer than a reader should wait. There are two reasons:
//
//   - The source is passive: it can't be asked for progress, and its watch says how far it is when
//     it likes. A cache that waited for that would answer nobody for seconds after each write of
//     another resource.
//   - The cache is late: a reader has waited for Config.Wait in vain. The watch is slow or broken,
//     or the cache is listing.
//
// The source answers then: everything if it is passive, and what costs it little if the cache is
// late. More of the latter would make an overloaded source slower still. A reader that was answered
// so has seen a state that the cache has not. Until the cache has come as far, no reader is
// answered from it, so that nobody goes back in time.

var (
	// errPassive says that the cache has not seen a revision and can't ask the source for it.
	errPassive = errors.New("the watch cache is behind, and its source can't be asked for progress")
	// errLate says that the cache has not reached a revision in time.
	errLate = errors.New("the watch cache is late")
)

// mostLate is how many entries a page may have that the source answers for a late cache: more is a
// list of everything with a limit.
const mostLate = 1000

// question is what a reader asks for.
type question struct {
	op, key string
	latest  bool  // whether the answer must have seen every write that ended before
	floor   int64 // the answer must have seen every revision up to here
	cheap   bool  // whether the source may answer for a late cache
}

// sourceAnswers says whether the source is to answer a question to which the cache says err.
func (q *question) sourceAnswers(err error) bool {
	return errors.Is(err, errPassive) || q.cheap && errors.Is(err, errLate)
}

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

// late returns the error for a question that has waited for a revision in vain, and notes that the
// cache is late until it is there. While it follows another history than the source has, the source
// must not answer: its revisions can't be compared with the cache's.
func (c *Cacher) late(q *question, revision int64) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.current.Load()
	failure := &storage.Error{Code: storage.CodeUnavailable, Op: q.op, Key: q.key, Revision: revision, Current: s.revision,
		Err: fmt.Errorf("the watch cache is at revision %d and did not reach %d within %v", s.revision, revision, c.config.Wait)}
	if q.floor > s.revision {
		failure.Code, failure.Revision = storage.CodeFuture, q.floor
	}
	if s.epoch != c.epoch.Load() {
		return failure
	}
	failure.Err = fmt.Errorf("%w: %w", errLate, failure.Err)
	if s.revision >= c.lateUntil {
		c.counters.late.Add(1)
		c.config.Log.Warn("watch cache: late; the source answers gets and pages until it is there",
			"prefix", c.prefix, "revision", s.revision, "until", revision)
	}
	c.lateUntil = max(c.lateUntil, revision)
	return failure
}

// overtaken says whether the source told a reader of a later state than s.
func (c *Cacher) overtaken(s *state) bool { return c.told.Load() > s.revision }

// toldOf notes that the source told a reader of a state, in the history of epoch.
func (c *Cacher) toldOf(revision, epoch int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.epoch.Load() == epoch {
		c.told.Store(max(c.told.Load(), revision))
	}
}

// getFromSource reads an entry that the cache is too old for. Which state that is of, only a later
// revision says.
func (c *Cacher) getFromSource(ctx context.Context, key string, opts storage.GetOptions) (storage.Entry, error) {
	epoch := c.epoch.Load()
	e, err := c.source.Get(ctx, key, opts)
	now, unknown := c.revision.get(ctx)
	if unknown != nil {
		return storage.Entry{}, unknown
	}
	c.counters.passed.Add(1)
	c.toldOf(now, epoch)
	return e, err
}

// listFromSource reads a page that the cache is too old for.
func (c *Cacher) listFromSource(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	epoch := c.epoch.Load()
	page, err := c.source.List(ctx, selection, opts)
	c.counters.passed.Add(1)
	c.toldOf(page.Revision, epoch)
	return page, err
}
