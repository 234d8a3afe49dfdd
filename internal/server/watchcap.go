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

	mu     sync.Mutex // guards byUser
	byUser map[string]int
}

// add counts a watch until end is called, or fails because the user has as many as they may.
// Administrators always may.
func (w *watches) add(user *auth.User) (end func(), err error) {
	if w.limit < 0 || user.In(auth.GroupMasters) {
		w.all.Add(1)
		return func() { w.all.Add(-1) }, nil
	}
	name := ""
	if user != nil {
		name = user.Name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byUser[name] >= w.limit {
		return nil, errTooManyRequests
	}
	w.byUser[name]++
	w.all.Add(1)
	return func() { w.remove(name) }, nil
}

func (w *watches) remove(name string) {
	w.all.Add(-1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byUser[name]--; w.byUser[name] == 0 {
		delete(w.byUser, name)
	}
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
