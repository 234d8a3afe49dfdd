package cacher

import (
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/storage"
)

// forms are those of one event of the log. They are lost when the event leaves it, or before, when
// those of newer events need the room.
type forms struct {
	room *room
	mu   sync.Mutex // held while one is made, so that nobody makes it twice
	kept atomic.Pointer[[]form]
}

var _ storage.Forms = (*forms)(nil)

type form struct {
	key  any
	data []byte
}

// formBytes is what a form holds beside its data: its key, and its place.
const formBytes = 200

func (f *form) bytes() int64 { return int64(formBytes + len(f.data)) }

// lost is what forms have that are kept no more.
var lost = new([]form)

// Keep implements storage.Forms.
func (f *forms) Keep(key any, make func() ([]byte, error)) ([]byte, error) {
	if data, ok := f.find(key); ok {
		return data, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if data, ok := f.find(key); ok {
		return data, nil
	}
	data, err := make()
	if err == nil {
		f.add(form{key, data})
	}
	return data, err
}

func (f *forms) find(key any) ([]byte, bool) {
	if kept := f.kept.Load(); kept != nil {
		for i := range *kept {
			if one := &(*kept)[i]; one.key == key {
				return one.data, true
			}
		}
	}
	return nil, false
}

// add keeps a form if there is room. The caller holds mu, so that only drop comes in between.
func (f *forms) add(one form) {
	before := f.kept.Load()
	if before == lost || !f.room.take(one.bytes()) {
		return
	}
	var now []form
	if before != nil {
		now = append(now, *before...)
	}
	if now = append(now, one); !f.kept.CompareAndSwap(before, &now) {
		f.room.give(one.bytes())
	}
}

// drop forgets all forms for good. It waits for nobody.
func (f *forms) drop() {
	if kept := f.kept.Swap(lost); kept != nil {
		for i := range *kept {
			f.room.give((*kept)[i].bytes())
		}
	}
}

// room is how many bytes the forms of a log hold, and may hold.
type room struct{ used, most atomic.Int64 }

func (r *room) take(n int64) bool {
	if r.used.Add(n) <= r.most.Load() {
		return true
	}
	r.give(n)
	return false
}

func (r *room) give(n int64) { r.used.Add(-n) }
