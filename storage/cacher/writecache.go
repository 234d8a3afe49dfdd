package cacher

import (
	"bytes"
	"sync"
	"sync/atomic"

	"github.com/typeplane/typeplane/storage"
)

// Bounds of what a WriteCache remembers of this process's writes: until their events come back,
// which is soon.
const (
	keptWrites = 256
	keptBytes  = 4 << 20
)

// WriteCache knows of many stored values that they are canonical without looking into them. They
// are those that this process wrote a moment ago, and those that the cache holds already. What they
// cost is a comparison of bytes. So neither the event of an own write nor the reading of the
// current entry before a write decodes anything.
//
// One WriteCache is for one cache: its Form goes into the source, and the WriteCache into the
// cache's Config. Its methods may be called from any goroutine.
type WriteCache struct {
	cache atomic.Pointer[Cacher]

	mu     sync.Mutex // guards the fields below
	writes map[string]written
	order  []string // the keys in writes, those that came first in front
	bytes  int
}

// written is a value that was to be written, and what became of it, once that is known.
type written struct {
	stored, value []byte
	entry         storage.Entry // of the revision 0 until then
	epoch         int64         // of the source's history that the entry is in
}

// Form returns form with a memory. What form.Canonical answers must depend on nothing but its
// arguments until Reread: where keys of encryption come and go, the encryption goes around it.
func (r *WriteCache) Form(form storage.Form) storage.Form {
	return storage.Form{
		Canonical: func(key string, stored []byte) ([]byte, bool, error) {
			if value := r.written(key, stored); value != nil {
				return value, false, nil
			}
			if value := r.cached(form, key, stored); value != nil {
				return value, false, nil
			}
			if form.Canonical == nil {
				return stored, false, nil
			}
			return form.Canonical(key, stored)
		},
		Stored: func(key string, value []byte) ([]byte, error) {
			stored, err := form.WriteValue(key, value)
			if err == nil {
				r.note(key, written{stored: stored, value: value})
			}
			return stored, err
		},
	}
}

// written returns the value that was written at key as stored, nil if it was not so.
func (r *WriteCache) written(key string, stored []byte) []byte {
	r.mu.Lock()
	w, ok := r.writes[key]
	r.mu.Unlock()
	if ok && bytes.Equal(w.stored, stored) {
		return w.value
	}
	return nil
}

// cached returns the value that the cache has at key, if that is what is stored and what a write
// would store.
func (r *WriteCache) cached(form storage.Form, key string, stored []byte) []byte {
	c := r.cache.Load()
	if c == nil {
		return nil
	}
	s := c.current.Load()
	if s == nil {
		return nil
	}
	e, ok := s.tree.Get(key)
	if !ok || e.Stale || e.Err != nil || !bytes.Equal(e.Value, stored) {
		return nil
	}
	if again, err := form.WriteValue(key, e.Value); err != nil || !bytes.Equal(again, stored) {
		return nil
	}
	return e.Value
}

// wrote returns the entry that this process wrote at key last, if s is too old to have it.
func (r *WriteCache) wrote(key string, s *state) (storage.Entry, bool) {
	if r == nil {
		return storage.Entry{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.writes[key]
	return w.entry, w.entry.Revision > s.revision && w.epoch == s.epoch
}

// confirm notes that the write which is remembered at the key of e came to be e.
func (r *WriteCache) confirm(e storage.Entry, epoch int64) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if w, ok := r.writes[e.Key]; ok && e.Revision > w.entry.Revision && bytes.Equal(w.value, e.Value) {
		w.entry, w.epoch = e, epoch
		r.writes[e.Key] = w
	}
}

// forget forgets all writes: what they stored may be stale now.
func (r *WriteCache) forget() {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writes, r.order, r.bytes = nil, nil, 0
}

// note remembers a write and forgets the oldest if there are too many.
func (r *WriteCache) note(key string, w written) {
	n := len(w.stored) + len(w.value)
	if n == 0 || n > keptBytes/4 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.writes == nil {
		r.writes = make(map[string]written)
	}
	old, there := r.writes[key]
	r.writes[key] = w
	r.bytes += n - len(old.stored) - len(old.value)
	if !there {
		r.order = append(r.order, key)
	}
	for len(r.writes) > keptWrites || r.bytes > keptBytes {
		gone := r.writes[r.order[0]]
		delete(r.writes, r.order[0])
		r.bytes -= len(gone.stored) + len(gone.value)
		r.order = r.order[1:]
	}
}
