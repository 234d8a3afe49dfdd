package cacher

import (
	"slices"
	"sort"

	"github.com/tidwall/btree"

	"github.com/typeplane/typeplane/storage"
)

// maxPoints bounds the states of the past that are kept to start from.
const maxPoints = 64

// state is what the prefix held at a revision. It is immutable once it is published; only its tree's Copy may be
// called, under Cacher.mu.
type state struct {
	tree     *btree.Map[string, storage.Entry]
	revision int64
	bytes    int
	epoch    int64 // of the source's history that it is a state of
}

// page answers a list.
func (s *state) page(prefix string, opts storage.ListOptions) storage.Page {
	start := s.index(max(prefix, opts.Start))
	end := s.index(prefix[:len(prefix)-1] + "0") // the byte after the slash
	n := end - start
	if opts.Limit > 0 {
		n = min(n, int(opts.Limit))
	}
	page := storage.Page{Entries: make([]storage.Entry, 0, n), Revision: s.revision, Remaining: int64(end - start - n)}
	if n == 0 {
		return page
	}
	s.tree.Ascend(max(prefix, opts.Start), func(_ string, e storage.Entry) bool {
		page.Entries = append(page.Entries, e)
		return len(page.Entries) < n
	})
	return page
}

// index returns how many keys come before key.
func (s *state) index(key string) int {
	return sort.Search(s.tree.Len(), func(i int) bool {
		k, _, _ := s.tree.GetAt(i)
		return k >= key
	})
}

// past returns the state at a revision that is not newer than the cache's, or nil if that can't be known any more.
// It takes the next later state that there is and takes back what happened since.
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
	s := &state{tree: from.tree.Copy(), revision: revision, bytes: from.bytes, epoch: from.epoch}
	events := c.log.between(revision, from.revision)
	for _, ev := range slices.Backward(events) {
		if ev.event.Type == storage.Created {
			s.tree.Delete(ev.event.Entry.Key)
		} else {
			s.tree.Set(ev.event.Entry.Key, ev.event.Prev)
		}
	}
	// The next page of the same list wants it again.
	c.points = slices.Insert(c.points, i, s)
	c.trimPoints()
	return s
}

// trimPoints drops the states that no exact list can want any more, and the oldest if there are too many. The caller
// holds mu.
func (c *Cacher) trimPoints() {
	n := sort.Search(len(c.points), func(i int) bool { return c.points[i].revision >= c.log.floor })
	c.points = slices.Delete(c.points, 0, max(n, len(c.points)-maxPoints))
}

// size is about how much memory an entry holds.
func size(e storage.Entry) int { return 160 + len(e.Key) + len(e.Value) }
