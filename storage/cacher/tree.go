package cacher

import (
	"sort"

	"github.com/tidwall/btree"

	"github.com/typeplane/typeplane/storage"
)

// state is what the prefix held at a revision. It is immutable once it is published, and its
// entries always are. States that follow each other share what did not change.
type state struct {
	tree     *btree.Map[string, *storage.Entry]
	indexes  []*index
	revision int64
	bytes    int
	epoch    int64 // of the source's history that it is a state of
	readings int64 // how often the entries were read again, see Reread
	shared   bool  // tree and indexes are those of another state
}

func newState(revision int64) *state {
	return &state{tree: new(btree.Map[string, *storage.Entry]), revision: revision}
}

// draft returns a state that is the same and may be changed. The caller holds Cacher.mu, as copying
// a tree marks both copies.
func (s *state) draft() *state {
	d := *s
	d.shared = true
	return &d
}

// ownDraft is a draft of which nobody else has the tree and the indexes. So it may be changed after
// Cacher.mu, which the caller holds.
func (s *state) ownDraft() *state {
	d := s.draft()
	d.own()
	return d
}

// own makes tree and indexes the state's own. They are copied on write, node by node.
func (s *state) own() {
	if !s.shared {
		return
	}
	s.shared = false
	s.tree = s.tree.Copy()
	copies := make([]*index, len(s.indexes))
	for i, x := range s.indexes {
		copies[i] = x.copy()
	}
	s.indexes = copies
}

// set puts e in its place and returns what was there, nil if nothing was.
func (s *state) set(e *storage.Entry) *storage.Entry {
	s.own()
	s.bytes += size(e)
	was, _ := s.tree.Set(e.Key, e)
	if was != nil {
		s.bytes -= size(was)
	}
	for _, x := range s.indexes {
		x.replace(was, e)
	}
	return was
}

// remove takes away what is at key and returns it, nil if nothing is.
func (s *state) remove(key string) *storage.Entry {
	s.own()
	was, ok := s.tree.Delete(key)
	if !ok {
		return nil
	}
	s.bytes -= size(was)
	for _, x := range s.indexes {
		x.replace(was, nil)
	}
	return was
}

// page answers a list.
func (s *state) page(selection string, opts storage.ListOptions) storage.Page {
	if !storage.IsPrefix(selection) {
		page := storage.Page{Entries: []*storage.Entry{}, Revision: s.revision}
		if e, ok := s.tree.Get(selection); ok {
			page.Entries = append(page.Entries, e)
		}
		return page
	}
	if x := s.index(opts.Where); x != nil {
		return s.narrowPage(x, selection, opts)
	}
	start := s.rank(max(selection, opts.Start))
	end := s.rank(after(selection))
	n := end - start
	if opts.Limit > 0 {
		n = min(n, int(opts.Limit))
	}
	page := storage.Page{Entries: make([]*storage.Entry, 0, n), Revision: s.revision, Remaining: int64(end - start - n)}
	if n == 0 {
		return page
	}
	s.tree.Ascend(max(selection, opts.Start), func(_ string, e *storage.Entry) bool {
		page.Entries = append(page.Entries, e)
		return len(page.Entries) < n
	})
	return page
}

// rank returns how many keys come before key.
func (s *state) rank(key string) int {
	return sort.Search(s.tree.Len(), func(i int) bool {
		k, _, _ := s.tree.GetAt(i)
		return k >= key
	})
}

// after returns the first string that sorts behind everything in a selection. For a prefix that is
// the one with a zero, the byte after the slash.
func after(selection string) string {
	if !storage.IsPrefix(selection) {
		return selection + "\x00"
	}
	return selection[:len(selection)-1] + "0"
}

// size is about how much memory an entry holds.
func size(e *storage.Entry) int { return 160 + len(e.Key) + len(e.Value) }
