package view

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/typeplane/typeplane/storage"
)

func memoOf(i int) memoKey { return memoKey{key: fmt.Sprintf("/things/%04d", i), revision: int64(i)} }

// A memo is what was put, or it is not there; and there are never more bytes than the budget.
func TestMemosAreTrueAndBounded(t *testing.T) {
	const budget = 64 << 10
	m, r := NewEncodeCache(budget), rand.New(rand.NewPCG(1, 2))
	data := func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, i%997) }
	hits := 0
	for range 100_000 {
		k := r.IntN(2000)
		got, ok := m.get(memoOf(k))
		if !ok {
			m.put(memoOf(k), data(k))
			continue
		}
		hits++
		if !bytes.Equal(got, data(k)) {
			t.Fatalf("memo %d is another one's", k)
		}
		if n := m.Size(); n > budget {
			t.Fatalf("%d bytes are kept", n)
		}
	}
	if hits == 0 {
		t.Error("nothing was ever found")
	}
	counted, listed := int64(0), int64(0)
	for i := range m.shards {
		s := &m.shards[i]
		for _, one := range s.found {
			counted += one.size()
		}
		for one, first := s.newest, true; one != nil && (first || one != s.newest); one, first = one.prev, false {
			listed += one.size()
			if one.next.prev != one || one.prev.next != one {
				t.Fatal("the ring is broken")
			}
		}
	}
	if size := m.Size(); counted != size || listed != size {
		t.Errorf("%d bytes are found and %d in the rings, %d are said to be there", counted, listed, size)
	}
}

func TestWhatIsUsedStays(t *testing.T) {
	m := NewEncodeCache(64 << 10)
	for i := range 20 {
		m.put(memoOf(i), make([]byte, 100))
	}
	for i := range 5000 {
		for used := range 20 {
			if _, ok := m.get(memoOf(used)); !ok {
				t.Fatalf("after %d others, %d is gone", i, used)
			}
		}
		m.put(memoOf(100+i), make([]byte, 100))
	}
}

func TestMemosRefuse(t *testing.T) {
	m := NewEncodeCache(memoShards * 1000)
	m.put(memoOf(1), make([]byte, 1000))
	if m.Size() != 0 {
		t.Error("what is larger than its part of the budget was kept")
	}
	if m.fit(entriesOf(100), jsonSize) || !m.fit(entriesOf(10), jsonSize) {
		t.Error("a scan of more than there is room for is not told from a small one")
	}
	var none *EncodeCache
	none.put(memoOf(1), nil)
	if _, ok := none.get(memoOf(1)); ok || none.fit(nil, jsonSize) {
		t.Error("nil keeps something")
	}
}

func TestMemosInParallel(t *testing.T) {
	m := NewEncodeCache(32 << 10)
	var wg sync.WaitGroup
	for seed := range uint64(4) {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, 0))
			for range 20_000 {
				k := r.IntN(300)
				if data, ok := m.get(memoOf(k)); !ok {
					m.put(memoOf(k), []byte(memoOf(k).key))
				} else if string(data) != memoOf(k).key {
					t.Errorf("memo %d says %s", k, data)
				}
			}
		})
	}
	wg.Wait()
}

// TestMemosLearn: a list that is asked for again and again takes the place of one that was, even
// where both have no room.
func TestMemosLearn(t *testing.T) {
	const each, n = 1000, 1000
	m := NewEncodeCache(n * 3 / 2 * (each + memoOverhead + 4))
	pass := func(form string) (hits int) {
		for i := range n {
			k := memoKey{form: form, key: strconv.Itoa(i), revision: int64(i)}
			if _, ok := m.get(k); ok {
				hits++
			} else {
				m.put(k, make([]byte, each))
			}
		}
		return hits
	}
	for _, form := range []string{"", "table", "", "table"} {
		hits := 0
		for range 6 {
			hits = pass(form)
		}
		if hits < n*9/10 {
			t.Errorf("%d of %d are found in the sixth list of form %q", hits, n, form)
		}
	}
}

func entriesOf(n int) (entries []*storage.Entry) {
	for range n {
		entries = append(entries, new(storage.Entry))
	}
	return entries
}
