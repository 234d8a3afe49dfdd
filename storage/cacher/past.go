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

// past returns the state at a revision that is not newer than s, a state of the cache; nil if that
// can't be known any more. It takes the next later state that there is and takes back what happened
// since. Nobody waits for that.
func (c *Cacher) past(revision int64, s *state) *state {
	from, since := c.laterThan(revision, s)
	if from == nil || from.revision == revision {
		return from
	}
	from.revision = revision
	for _, ev := range slices.Backward(since) {
		if ev.event.Type == storage.Created {
			from.remove(ev.event.Entry.Key)
		} else {
			prev := ev.event.Prev
			from.set(&prev)
		}
	}
	return c.addPoint(from)
}

// laterThan returns the next later state than that at a revision, and what happened between the
// two. If it is another one, it may be changed. It is nil if s is of another history than the log.
func (c *Cacher) laterThan(revision int64, s *state) (from *state, since []logged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from = c.current.Load()
	if from.epoch != s.epoch || revision < c.log.floor {
		return nil, nil
	}
	if i := c.pointFrom(revision); i < len(c.points) {
		from = c.points[i]
	}
	if from.revision == revision {
		return from, nil
	}
	return from.ownDraft(), slices.Clone(c.log.between(revision, from.revision))
}

// addPoint keeps a state of the past, as the next page of the same list wants it again. It returns
// the one that is there, if somebody was faster.
func (c *Cacher) addPoint(s *state) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.current.Load(); now.epoch != s.epoch || now.readings != s.readings || s.revision < c.log.floor {
		return s // it is good for this list alone
	}
	i := c.pointFrom(s.revision)
	if i < len(c.points) && c.points[i].revision == s.revision {
		return c.points[i]
	}
	c.points = slices.Insert(c.points, i, s)
	c.trimPoints()
	return s
}

// pointFrom is the index of the first state at a revision or behind it. The caller holds mu.
func (c *Cacher) pointFrom(revision int64) int {
	return sort.Search(len(c.points), func(i int) bool { return c.points[i].revision >= revision })
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
// that lie closest to others. So no part of the log is far from one, whatever clients ask for. The
// caller holds mu.
func (c *Cacher) trimPoints() {
	c.points = slices.Delete(c.points, 0, c.pointFrom(c.log.floor))
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
