package cacher

import (
	"context"
	"time"
)

const (
	// restAfter is how many times as long as a check took nobody checks after it.
	restAfter = 100
	// checkWithin is how long a check may take: one that waits for a source which does not answer
	// must not be followed by a rest of days.
	checkWithin = 30 * time.Second
)

// CheckLimiter bounds what the checks of all caches of one server cost together. The caches compare
// themselves with the source one at a time, in the order in which they want to. After each check
// all of them rest a hundred times as long as it took. So checks never take more than a hundredth
// of the time, however many and large the caches are. Its methods may be called from any goroutine.
type CheckLimiter struct {
	taken chan struct{} // holds a token while somebody has its turn
	next  time.Time     // when the next check may begin; whoever has its turn may touch it
}

// NewCheckLimiter returns a CheckLimiter for any number of caches.
func NewCheckLimiter() *CheckLimiter { return &CheckLimiter{taken: make(chan struct{}, 1)} }

// take waits until it is this caller's turn, and runs check, whose context ends after checkWithin.
// It does nothing if ctx ends before.
func (t *CheckLimiter) take(ctx context.Context, check func(context.Context)) {
	select {
	case t.taken <- struct{}{}:
		defer func() { <-t.taken }()
	case <-ctx.Done():
		return
	}
	rest := time.NewTimer(time.Until(t.next))
	defer rest.Stop()
	select {
	case <-rest.C:
	case <-ctx.Done():
		return
	}
	begin := time.Now()
	defer func() { t.next = time.Now().Add(restAfter * time.Since(begin)) }()
	short, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	check(short)
}
