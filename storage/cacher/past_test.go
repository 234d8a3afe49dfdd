package cacher

import (
	"fmt"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// However many revisions somebody asks for that lie close together, no other one is far from a
// state that is kept. To go back from that takes time, and so does the copy of what happened since.
func TestPastStatesAreSpread(t *testing.T) {
	const events = 20_000
	var c Cacher
	now := newState(0)
	for i := range int64(events) {
		e := storage.Entry{Key: fmt.Sprintf("/a/%d", i%100), Revision: i + 1}
		ev := storage.Event{Type: storage.Created, Entry: e}
		if was := now.set(&e); was != nil {
			ev.Type, ev.Prev = storage.Modified, *was
		}
		now.revision = e.Revision
		c.log.add(ev, time.Time{})
	}
	c.current.Store(now)
	asked := []int64{1, events / 4, events / 2}
	for i := range int64(4 * maxPoints) {
		asked = append(asked, events-1-i)
	}
	for _, revision := range asked {
		s := c.past(revision, now)
		if s == nil || s.revision != revision || s.tree.Len() != int(min(revision, 100)) {
			t.Fatalf("the state at %d is %+v", revision, s)
		}
		if len(c.points) > maxPoints {
			t.Fatalf("there are %d states", len(c.points))
		}
	}
	kept := map[int64]bool{}
	for _, s := range c.points {
		kept[s.revision] = true
	}
	for _, revision := range asked[:3] {
		if !kept[revision] {
			t.Errorf("the state at %d is gone, and %d have others close by", revision, len(c.points))
		}
	}
}

// A list that was to be of one history is not answered from another, which the cache has begun to
// follow meanwhile.
func TestPastOfAnotherHistory(t *testing.T) {
	before, now := newState(20), newState(10)
	now.epoch = 1
	var c Cacher
	c.current.Store(now)
	if s := c.past(15, before); s != nil || len(c.points) > 0 {
		t.Errorf("the state at 15 is %+v, and %d are kept", s, len(c.points))
	}
}
