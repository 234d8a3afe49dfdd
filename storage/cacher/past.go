package cacher

import (
	"math"
	"slices"
	"sort"

	"github.com/typeplane/typeplane/storage"
)

// maxPoints bounds the states of the past that are kept to start from.
const maxPoints = 64

// pointEvery is how many events lie between two states of the past that are kept.
const pointEvery = 1000

// past returns the state at a revision that is not newer than the cache's, or nil if that can't be
// known any more. It takes the next later state that there is and takes back what happened since.
func (c *Cacher) past(revision int64) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	if revision < c.log.floor {
		return nil
	}
	from := c.current.Load()
	i := sort.Search(len(c.points), func(i int) bool { return c.points[i].revision >= revision })
	if i < len(c.points) {
		from = c.points[i]
	}
	if from.revision == revision {
		return from
	}
	s := from.draft()
	s.revision = revision
	for _, ev := range slices.Backward(c.log.between(revision, from.revision)) {
		if ev.event.Type == storage.Created {
			s.remove(ev.event.Entry.Key)
		} else {
			prev := ev.event.Prev
			s.set(&prev)
		}
	}
	// The next page of the same list wants it again.
	c.points = slices.Insert(c.points, i, s)
	c.trimPoints()
	return s
}

// keepPoint keeps the state before next, if enough has happened since the last one that is kept.
// The caller holds mu.
func (c *Cacher) keepPoint(next *state) {
	old := c.current.Load()
	if old == nil || old.revision >= next.revision {
		return
	}
	last := c.log.floor
	if n := len(c.points); n > 0 {
		last = c.points[n-1].revision
	}
	if last < old.revision && len(c.log.between(last, old.revision)) >= pointEvery {
		c.points = append(c.points, old)
	}
	c.trimPoints()
}

// trimPoints drops the states that no exact list can want any more, and if there are too many those
// that lie closest to others. So no part of the log is far from one, whatever clients ask for: who
// goes back from a state holds everybody up. The caller holds mu.
func (c *Cacher) trimPoints() {
	n := sort.Search(len(c.points), func(i int) bool { return c.points[i].revision >= c.log.floor })
	c.points = slices.Delete(c.points, 0, n)
	for len(c.points) > maxPoints {
		i := c.closestPoint()
		c.points = slices.Delete(c.points, i, i+1)
	}
}

// closestPoint is the state whose neighbours have the fewest events between them. The caller holds
// mu.
func (c *Cacher) closestPoint() (closest int) {
	fewest := math.MaxInt
	for i := range c.points {
		before, after := c.log.floor, c.current.Load().revision
		if i > 0 {
			before = c.points[i-1].revision
		}
		if i+1 < len(c.points) {
			after = c.points[i+1].revision
		}
		if n := len(c.log.between(before, after)); n < fewest {
			closest, fewest = i, n
		}
	}
	return closest
}
