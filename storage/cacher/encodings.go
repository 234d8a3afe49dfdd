package cacher

import (
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/storage"
)

// encodings are those of one event of the log. They are lost when the event leaves it, or before,
// when those of newer events need the room.
type encodings struct {
	room *room
	mu   sync.Mutex // held while one is made, so that nobody makes it twice
	kept atomic.Pointer[[]encoding]
}

var _ storage.Encodings = (*encodings)(nil)

type encoding struct {
	key  any
	data []byte
}

// encodingBytes is what an encoding holds beside its data: its key, and its place.
const encodingBytes = 200

func (e *encoding) bytes() int64 { return int64(encodingBytes + len(e.data)) }

// lost is what encodings have that are kept no more.
var lost = new([]encoding)

// Keep implements storage.Encodings.
func (e *encodings) Keep(key any, make func() ([]byte, error)) ([]byte, error) {
	if data, ok := e.find(key); ok {
		return data, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if data, ok := e.find(key); ok {
		return data, nil
	}
	data, err := make()
	if err == nil {
		e.add(encoding{key, data})
	}
	return data, err
}

func (e *encodings) find(key any) ([]byte, bool) {
	if kept := e.kept.Load(); kept != nil {
		for i := range *kept {
			if one := &(*kept)[i]; one.key == key {
				return one.data, true
			}
		}
	}
	return nil, false
}

// add keeps an encoding if there is room. The caller holds mu, so that only drop comes in between.
func (e *encodings) add(one encoding) {
	before := e.kept.Load()
	if before == lost || !e.room.take(one.bytes()) {
		return
	}
	var now []encoding
	if before != nil {
		now = append(now, *before...)
	}
	if now = append(now, one); !e.kept.CompareAndSwap(before, &now) {
		e.room.give(one.bytes())
	}
}

// drop forgets all encodings for good. It waits for nobody.
func (e *encodings) drop() {
	if kept := e.kept.Swap(lost); kept != nil {
		for i := range *kept {
			e.room.give((*kept)[i].bytes())
		}
	}
}

// room is how many bytes the encodings of a log hold, and may hold.
type room struct{ used, most atomic.Int64 }

func (r *room) take(n int64) bool {
	if r.used.Add(n) <= r.most.Load() {
		return true
	}
	r.give(n)
	return false
}

func (r *room) give(n int64) { r.used.Add(-n) }
