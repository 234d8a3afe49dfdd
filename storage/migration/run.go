package migration

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/storage"
)

// parallel is how many writes are on their way at once: a database puts them on the disk together.
const parallel = 8

// patience is how often a write is tried again for which the database was not there, with a pause
// that doubles from firstPause.
const (
	patience   = 6
	firstPause = 100 * time.Millisecond
)

// Config says what to migrate.
type Config struct {
	// Store must not answer from a cache that writes of others may have overtaken: its entries say
	// what is stale.
	Store storage.Interface
	// Prefix is that of the entries.
	Prefix string
	// Pace bounds the writes; nil does not.
	Pace *Pace
	// Progress is told with each write that begins, after each page and at the end, from one
	// goroutine; nil is told nothing.
	Progress func(Result)
}

// Result is what a migration has done so far, or in all.
type Result struct {
	// Count is of what was found; Stale entries among it are done with when Rewritten and Gone have
	// reached them.
	Count
	// Rewritten are those that are in today's form now, whoever has written them. Gone were deleted
	// meanwhile.
	Rewritten, Gone int64
}

// Left is how many of the stale entries are so still.
func (r Result) Left() int64 { return r.Stale - r.Rewritten - r.Gone }

// Run rewrites the stale entries below a prefix. It stops at the first write that fails for another
// reason than the entry itself; the Result is good in any case, and another Run goes on from there.
func Run(ctx context.Context, c Config) (Result, error) {
	var r result
	err := eachPage(ctx, c.Store, c.Prefix, func(page []*storage.Entry) error {
		group, working := errgroup.WithContext(ctx)
		group.SetLimit(parallel)
		for _, e := range page {
			r.found(*e)
			if e.Err != nil || !e.Stale {
				continue
			}
			if err := c.Pace.wait(working); err != nil {
				break // a write has failed, or ctx has ended
			}
			group.Go(func() error { return c.rewriteGuarded(working, e.Key, &r) })
			c.report(&r)
		}
		err := group.Wait()
		c.report(&r)
		return cmp.Or(err, ctx.Err())
	})
	return r.get(), err
}

func (c Config) report(r *result) {
	if c.Progress != nil {
		c.Progress(r.get())
	}
}

// rewriteGuarded is rewrite, and counts an entry for which it panics as unreadable.
func (c Config) rewriteGuarded(ctx context.Context, key string, r *result) (err error) {
	panicked := recovery.Object(nil, "storage migration", key, func() { err = c.rewrite(ctx, key, r) })
	if panicked != nil {
		r.unreadable(fmt.Errorf("rewrite %s: %w", key, panicked))
	}
	return err
}

// rewrite writes what is at key again. Somebody else's write meanwhile is as good.
func (c Config) rewrite(ctx context.Context, key string, r *result) error {
	for try, pause := 1, firstPause; ; try, pause = try+1, 2*pause {
		_, err := c.Store.GuaranteedUpdate(ctx, key, func(current storage.Entry) ([]byte, []storage.Op, error) {
			return current.Value, nil, nil
		})
		switch code := storage.CodeOf(err); {
		case err == nil:
			r.rewritten()
			return nil
		case code == storage.CodeNotFound:
			r.gone()
			return nil
		case code == storage.CodeCorrupt:
			r.unreadable(err)
			return nil
		case code != storage.CodeUnavailable && code != storage.CodeUnknown || try == patience || ctx.Err() != nil:
			return fmt.Errorf("rewrite %s: %w", key, err)
		}
		// After an unknown outcome the next try finds out: an entry that is not stale is not
		// written again.
		if err := wait.Sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// result is a Result that several goroutines add to.
type result struct {
	mu sync.Mutex // guards r
	r  Result
}

func (r *result) found(e storage.Entry)  { r.change(func(r *Result) { r.add(e) }) }
func (r *result) rewritten()             { r.change(func(r *Result) { r.Rewritten++ }) }
func (r *result) gone()                  { r.change(func(r *Result) { r.Gone++ }) }
func (r *result) change(f func(*Result)) { r.mu.Lock(); defer r.mu.Unlock(); f(&r.r) }

// unreadable counts a stale entry as unreadable.
func (r *result) unreadable(err error) {
	r.change(func(r *Result) { r.Entries--; r.Stale--; r.add(storage.Entry{Err: err}) })
}

func (r *result) get() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.r
}

// Pace spreads events evenly, at most so many in a second. It is for one goroutine. The nil Pace
// does not wait.
type Pace struct {
	every time.Duration
	next  time.Time
}

// NewPace returns a Pace of perSecond events, nil if that is 0.
func NewPace(perSecond int) *Pace {
	if perSecond == 0 {
		return nil
	}
	return &Pace{every: time.Second / time.Duration(perSecond)}
}

func (p *Pace) wait(ctx context.Context) error {
	if p == nil {
		return ctx.Err()
	}
	now := time.Now()
	if p.next.Before(now) {
		p.next = now
	}
	pause := p.next.Sub(now)
	p.next = p.next.Add(p.every)
	return wait.Sleep(ctx, pause)
}
