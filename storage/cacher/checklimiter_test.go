package cacher_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// slow is a source that takes its time to list its keys, and counts how much that comes to with
// others.
type slow struct {
	*memory.Store
	takes     time.Duration
	now, most *atomic.Int64 // how many list their keys at the same time
	all       *atomic.Int64 // how long that took, together
}

func (s slow) EachRevision(ctx context.Context, prefix string, revision int64, visit func(string, int64)) error {
	s.most.Store(max(s.most.Load(), s.now.Add(1)))
	defer s.now.Add(-1)
	begin := time.Now()
	defer func() { s.all.Add(int64(time.Since(begin))) }()
	select {
	case <-time.After(s.takes):
	case <-ctx.Done():
		return ctx.Err()
	}
	return s.Store.EachRevision(ctx, prefix, revision, visit)
}

// However often a check is to be made, and however many and large the caches are, comparing all of
// them takes less than a hundredth of the time. Each has its turn. The clock is not the real one.
func TestChecksRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const caches, hours = 60, 4
		shared, log := cacher.NewCheckLimiter(), &logged{}
		var now, most, all atomic.Int64
		begin := time.Now()
		var started []*cacher.Cacher
		for i := range caches {
			takes := 100 * time.Millisecond
			switch {
			case i == 0:
				takes = time.Hour // as if etcd did not answer
			case i%10 == 1:
				takes = time.Second
			}
			source := slow{memory.New(memory.Config{}), takes, &now, &most, &all}
			started = append(started, start(t, cacher.Config{
				Source: source, CheckLimiter: shared, CheckEvery: time.Minute, BookmarkEvery: 24 * time.Hour, Log: slog.New(slog.NewTextHandler(log, nil)),
			}))
		}
		time.Sleep(hours * time.Hour)
		if took, spent := time.Since(begin), time.Duration(all.Load()); spent > took/100+30*time.Second || most.Load() != 1 {
			t.Errorf("checks took %v of %v, up to %d at once; want a hundredth of it, one after the other", spent, took, most.Load())
		}
		for i, c := range started {
			if s := c.Stats(); s.Checks < 2 {
				t.Errorf("cache %d was compared %d times within %d hours", i, s.Checks, hours)
			}
		}
		if !log.has(context.DeadlineExceeded.Error()) {
			t.Error("the log does not say that one could not be compared")
		}
	})
}

// A cache that waits for its turn, or rests, can be closed, and the others are not held up.
func TestTurnsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := cacher.NewCheckLimiter()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		cacher.Take(shared, t.Context(), func(context.Context) { time.Sleep(time.Minute) })
		go func() {
			defer close(done)
			cacher.Take(shared, ctx, func(context.Context) { t.Error("it had its turn while all rest") })
		}()
		time.Sleep(time.Minute)
		cancel()
		<-done
		begin := time.Now()
		cacher.Take(shared, t.Context(), func(ctx context.Context) {
			<-ctx.Done()
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				t.Error(ctx.Err())
			}
		})
		if took := time.Since(begin); took != 99*time.Minute+30*time.Second {
			t.Errorf("the rest and the next check took %v", took)
		}
	})
}
