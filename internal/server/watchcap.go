package server

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/auth"
)

// watches counts those that are open. A watch costs little while it waits, so nothing else bounds
// how many somebody may open.
type watches struct {
	limit int // for one user; below zero: no bound
	all   atomic.Int64

	mu     sync.Mutex // guards what follows
	byUser map[string]int
	byWhat map[watched]int
}

// watched is what a watch follows: a resource, one namespace of it, or one object.
type watched struct{ group, resource, namespace, name string }

// add counts a watch until end is called, or fails because the user has as many as they may.
// Administrators always may.
func (w *watches) add(user *auth.User, what watched) (end func(), err error) {
	name, bounded := "", w.limit >= 0 && !user.In(auth.GroupMasters)
	if user != nil {
		name = user.Name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if bounded && w.byUser[name] >= w.limit {
		return nil, errTooManyRequests
	}
	w.all.Add(1)
	w.byUser[name]++
	w.byWhat[what]++
	return func() { w.remove(name, what) }, nil
}

func (w *watches) remove(name string, what watched) {
	w.all.Add(-1)
	w.mu.Lock()
	defer w.mu.Unlock()
	less(w.byUser, name)
	less(w.byWhat, what)
}

// less takes one off a count, and forgets it at zero.
func less[K comparable](counts map[K]int, key K) {
	if counts[key]--; counts[key] == 0 {
		delete(counts, key)
	}
}

// of is how many watches are told of a write.
func (w *watches) of(i requestInfo) int {
	if w.all.Load() == 0 {
		return 0
	}
	what := watched{group: i.Group, resource: i.Resource}
	w.mu.Lock()
	defer w.mu.Unlock()
	told := w.byWhat[what]
	if what.namespace = i.Namespace; what.namespace != "" {
		told += w.byWhat[what]
	}
	if what.name = i.Name; what.name != "" {
		told += w.byWhat[what]
	}
	return told
}

// endEach is how long the clients of one watch are given to begin anew with another server when
// this one stops.
const endEach = time.Millisecond

// endAfter is when a watch ends once the server stops: at a random time, so that those who watch do
// not all come to the next server at once. The time within which all end grows with how many there
// are, up to a bound.
func (w *watches) endAfter(bound time.Duration) time.Duration {
	within := min(bound, time.Duration(w.all.Load())*endEach)
	if within <= 0 {
		return 0
	}
	return rand.N(within)
}
