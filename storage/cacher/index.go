package cacher

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/typeplane/typeplane/storage"
)

// maxIndexes bounds the indexes of a cache, since attributes are often labels, and clients may ask
// for any label. maxAsked bounds the attributes of which is known that somebody asked for them
// once.
const (
	maxIndexes = 16
	maxAsked   = 256
)

// index finds the entries that have a value of an attribute. It belongs to a state, and is copied
// on write like its tree.
type index struct {
	attribute string
	read      func(storage.Entry) (string, bool, error)
	used      *atomic.Int64 // when, in the order of Cacher.uses
	postings  *btree.BTreeG[posting]
	// unknown are the keys of entries of which nobody knows whether they have a value: those are in
	// every answer.
	unknown *btree.Set[string]
}

// posting says that the entry at key has value. Both strings are as good as that entry's memory,
// which they keep alive: so a posting is replaced whenever its entry is.
type posting struct{ value, key string }

func (p posting) before(q posting) bool {
	if c := strings.Compare(p.value, q.value); c != 0 {
		return c < 0
	}
	return p.key < q.key
}

func newIndex(w *storage.Where) *index {
	return &index{
		attribute: w.Attribute, read: w.Read, used: new(atomic.Int64),
		postings: btree.NewBTreeGOptions(posting.before, btree.Options{NoLocks: true}),
		unknown:  new(btree.Set[string]),
	}
}

func (x *index) copy() *index {
	c := *x
	c.postings, c.unknown = x.postings.Copy(), x.unknown.Copy()
	return &c
}

// replace takes note that now is where was has been; either may be nil.
func (x *index) replace(was, now *storage.Entry) {
	if was != nil {
		if value, ok, known := x.value(was); !known {
			x.unknown.Delete(was.Key)
		} else if ok {
			x.postings.Delete(posting{value, was.Key})
		}
	}
	if now != nil {
		if value, ok, known := x.value(now); !known {
			x.unknown.Insert(now.Key)
		} else if ok {
			x.postings.Set(posting{value, now.Key})
		}
	}
}

func (x *index) value(e *storage.Entry) (value string, ok, known bool) {
	return valueOf(x.read, e)
}

// valueOf reads an attribute of an entry; known is false if that can't be done.
func valueOf(read func(storage.Entry) (string, bool, error), e *storage.Entry) (value string, ok, known bool) {
	if e.Err != nil {
		return "", false, false
	}
	value, ok, err := read(*e)
	return value, ok, err == nil
}

// keys calls visit with the keys from start up to end that may have value, in order, until it
// returns false.
func (x *index) keys(value, start, end string, visit func(key string) bool) {
	unknown := x.unknown.Iter()
	more := x.unknown.Len() > 0 && unknown.Seek(start)
	going := true
	x.postings.Ascend(posting{value, start}, func(p posting) bool {
		if p.value != value || p.key >= end {
			return false
		}
		for going && more && unknown.Key() < p.key {
			going = visit(unknown.Key())
			more = unknown.Next()
		}
		going = going && visit(p.key)
		return going
	})
	for going && more && unknown.Key() < end {
		going = visit(unknown.Key())
		more = unknown.Next()
	}
}

// index returns the index that helps with w, nil if there is none.
func (s *state) index(w *storage.Where) *index {
	if w == nil {
		return nil
	}
	for _, x := range s.indexes {
		if x.attribute == w.Attribute {
			return x
		}
	}
	return nil
}

// narrowPage answers a list of what may have a value, with its help at the cost of what there is of
// that.
func (s *state) narrowPage(x *index, prefix string, opts storage.ListOptions) storage.Page {
	page := storage.Page{Entries: []*storage.Entry{}, Revision: s.revision}
	x.keys(opts.Where.Value, max(prefix, opts.Start), after(prefix), func(key string) bool {
		if opts.Limit > 0 && int64(len(page.Entries)) == opts.Limit {
			page.Remaining = 1
			return false
		}
		e, _ := s.tree.Get(key)
		page.Entries = append(page.Entries, e)
		return true
	})
	return page
}

// asked is what readers have asked for that there is no index of.
type asked struct {
	mu    sync.Mutex // guards names; held while an index is made
	names map[string]bool
	uses  atomic.Int64 // counts the uses of indexes, to find out which was not used for long
}

// indexFor returns the state that a list with w is best answered from: current, or a later one with
// an index that was made just now. The first list that asks for an attribute scans; the second
// makes the index. One that comes while an index is being made scans.
func (c *Cacher) indexFor(w *storage.Where, s *state) *state {
	if x := s.index(w); x != nil {
		x.used.Store(c.asked.uses.Add(1))
		return s
	}
	if s != c.current.Load() || !c.asked.mu.TryLock() {
		return s
	}
	defer c.asked.mu.Unlock()
	if c.asked.names == nil || len(c.asked.names) >= maxAsked {
		c.asked.names = make(map[string]bool)
	}
	if !c.asked.names[w.Attribute] {
		c.asked.names[w.Attribute] = true
		return s
	}
	x := newIndex(w)
	x.used.Store(c.asked.uses.Add(1))
	s.tree.Scan(func(_ string, e *storage.Entry) bool {
		x.replace(nil, e)
		return true
	})
	if with := c.addIndex(x, s); with != nil {
		delete(c.asked.names, w.Attribute)
		return with
	}
	return s
}

// addIndex publishes a state with an index that was made of s, nil if that is no longer possible.
func (c *Cacher) addIndex(x *index, s *state) *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.current.Load()
	if old.index(&storage.Where{Attribute: x.attribute}) != nil {
		return old
	}
	if old.epoch != s.epoch || old.readings != s.readings || c.log.floor > s.revision {
		return nil
	}
	for _, ev := range c.log.between(s.revision, old.revision) {
		switch ev.event.Type {
		case storage.Created:
			x.replace(nil, &ev.event.Entry)
		case storage.Modified:
			x.replace(&ev.event.Prev, &ev.event.Entry)
		case storage.Deleted:
			x.replace(&ev.event.Prev, nil)
		}
	}
	with := old.draft()
	with.indexes = append([]*index{x}, old.indexes...)
	if len(with.indexes) > maxIndexes {
		with.indexes = without(with.indexes, leastUsed(with.indexes))
	}
	c.current.Store(with)
	return with
}

func leastUsed(list []*index) int {
	least := 0
	for i, x := range list {
		if x.used.Load() < list[least].used.Load() {
			least = i
		}
	}
	return least
}

func without(list []*index, i int) []*index {
	return append(list[:i:i], list[i+1:]...)
}
