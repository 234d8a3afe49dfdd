package server

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/auth"
)

// maxSelectorBytes bounds the selectors of all open watches of a user together, because each stays
// in memory as long as its watch. 5,000 watches could have 1,000 requirements each.
const maxSelectorBytes = 4 << 20

// watches counts the open ones. A watch costs little while it waits, so nothing else bounds how
// many a user may open.
type watches struct {
	limit int // for one user; below zero: no bound
	all   atomic.Int64

	mu     sync.Mutex // guards what follows
	byUser map[string]opened
	byWhat map[watched]int
}

// opened is the number of watches of one user, and the length of their selectors in bytes.
type opened struct{ watches, selectors int }

// watched is what a watch follows: a resource, one namespace of it, or one object.
type watched struct{ group, resource, namespace, name string }

// add counts a watch with selectors of so many bytes until end is called. It fails if the user has
// as many watches as they may, or selectors that are too long. Administrators have no bound.
func (w *watches) add(user *auth.User, what watched, selectors int) (end func(), err error) {
	name, bounded := "", w.limit >= 0 && !user.In(auth.GroupMasters)
	if user != nil {
		name = user.Name
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byUser[name]
	if bounded && of.watches >= w.limit {
		return nil, errTooManyRequests
	}
	if bounded && selectors > 0 && of.selectors+selectors > maxSelectorBytes {
		return nil, apierrors.NewTooManyRequests(fmt.Sprintf("the selectors of your open watches have %d bytes and may have %d: use shorter ones, or fewer watches", of.selectors, maxSelectorBytes), 1)
	}
	w.all.Add(1)
	w.byUser[name] = opened{of.watches + 1, of.selectors + selectors}
	w.byWhat[what]++
	return func() { w.remove(name, what, selectors) }, nil
}

func (w *watches) remove(name string, what watched, selectors int) {
	w.all.Add(-1)
	w.mu.Lock()
	defer w.mu.Unlock()
	of := w.byUser[name]
	if w.byUser[name] = (opened{of.watches - 1, of.selectors - selectors}); of.watches == 1 {
		delete(w.byUser, name)
	}
	if w.byWhat[what]--; w.byWhat[what] == 0 {
		delete(w.byWhat, what)
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
