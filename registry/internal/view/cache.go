package view

import (
	"hash/maphash"
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// EncodeCache keeps the JSON of objects between requests, so that a list or an event that many
// clients ask for is decoded, converted and encoded once. What it holds is immutable: an object at
// a revision never changes. All methods may be called from any goroutine; a nil *EncodeCache keeps
// nothing.
//
// One EncodeCache serves all resources of one database: a key and a revision must say which object
// is meant.
type EncodeCache struct {
	budget int64 // bytes, of all shards
	seed   maphash.Seed
	shards [memoShards]memoShard
}

const (
	memoShards = 16
	// memoOverhead is about what a memo takes beside its bytes: the struct, the key, and its place
	// in a map.
	memoOverhead = 240
)

// NewEncodeCache makes an empty EncodeCache that holds at most about budget bytes.
func NewEncodeCache(budget int64) *EncodeCache {
	m := &EncodeCache{budget: budget, seed: maphash.MakeSeed()}
	for i := range m.shards {
		m.shards[i].budget = budget / memoShards
		m.shards[i].found = map[memoKey]*memo{}
	}
	return m
}

// memoKey is one object at one revision, as JSON of one kind. form is "" for the object itself.
type memoKey struct {
	kind     *runtime.Kind
	form     string
	key      string
	revision int64
}

// fit says whether one form of each entry can be kept, all at a time; sizeOf is about how long that
// is. A scan of more would drive out everything, itself as well, so it has to do without.
func (m *EncodeCache) fit(entries []*storage.Entry, sizeOf func(storage.Entry) int) bool {
	if m == nil {
		return false
	}
	size := int64(0)
	for _, e := range entries {
		size += int64(sizeOf(*e)+len(e.Key)) + memoOverhead
	}
	return size <= m.budget
}

// jsonSize is about how long the JSON of an entry is: half as long again as its value.
func jsonSize(e storage.Entry) int { return len(e.Value) + len(e.Value)/2 }

func (m *EncodeCache) get(k memoKey) ([]byte, bool) {
	if m == nil {
		return nil, false
	}
	return m.shard(k).get(k)
}

// put keeps data, which nobody may modify from now on.
func (m *EncodeCache) put(k memoKey, data []byte) {
	if m != nil {
		m.shard(k).put(k, data)
	}
}

// Size is about how many bytes are kept.
func (m *EncodeCache) Size() int64 {
	total := int64(0)
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.RLock()
		total += s.size
		s.mu.RUnlock()
	}
	return total
}

func (m *EncodeCache) shard(k memoKey) *memoShard {
	return &m.shards[(maphash.String(m.seed, k.key)+uint64(k.revision))%memoShards]
}

// memo is the JSON of one object at one revision: an element of a ring, behind the element that
// came before it.
type memo struct {
	memoKey
	data       []byte
	used       atomic.Bool // since the hand went by
	prev, next *memo
}

func (m *memo) size() int64 { return int64(len(m.data) + len(m.key) + memoOverhead) }

// memoShard holds a part of the memos under a part of the budget. What goes first is what was not
// used since the hand went by last. The hand moves from the oldest to the newest, so what is only
// asked for once leaves soon (SIEVE: Zhang et al., NSDI 2024). While lists come that are longer
// than what is left, it would follow the newest and never arrive. What nobody asks for any more
// would stay. So it begins again when as many have left as there are.
type memoShard struct {
	mu     sync.RWMutex
	budget int64
	size   int64
	found  map[memoKey]*memo
	newest *memo // oldest is newest.next
	hand   *memo // nil: at the oldest
	left   int   // memos that were evicted since the hand began
}

func (s *memoShard) get(k memoKey) ([]byte, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	m := s.found[k]
	if m == nil {
		return nil, false
	}
	if !m.used.Load() {
		m.used.Store(true)
	}
	return m.data, true
}

func (s *memoShard) put(k memoKey, data []byte) {
	m := &memo{memoKey: k, data: data}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found[k] != nil || m.size() > s.budget {
		return
	}
	for s.size+m.size() > s.budget {
		s.evict()
	}
	s.found[k] = m
	s.size += m.size()
	if s.newest == nil {
		m.prev, m.next = m, m
	} else {
		m.prev, m.next = s.newest, s.newest.next
		m.prev.next, m.next.prev = m, m
	}
	s.newest = m
}

// evict removes one memo. There is one.
func (s *memoShard) evict() {
	if s.left >= len(s.found) {
		s.hand = nil
	}
	m := s.hand
	if m == nil {
		m, s.left = s.newest.next, 0
	}
	s.left++
	for m.used.Swap(false) {
		m = m.next
	}
	delete(s.found, m.memoKey)
	s.size -= m.size()
	s.hand = m.next
	if m == s.newest {
		s.hand, s.newest = nil, m.prev // the hand begins again
	}
	if m.next == m {
		s.hand, s.newest = nil, nil
		return
	}
	m.prev.next, m.next.prev = m.next, m.prev
}
