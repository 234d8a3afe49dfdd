package main

import (
	"sync"
	"time"
)

// recorder collects what clients see.
type recorder struct {
	began time.Time

	mu      sync.Mutex // guards the fields below
	ops     []Op
	watches []Watch
}

func newRecorder() *recorder { return &recorder{began: time.Now()} }

// now is the time since the start of the run.
func (r *recorder) now() time.Duration { return time.Since(r.began) }

func (r *recorder) op(op Op) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ops = append(r.ops, op)
}

func (r *recorder) watch(w Watch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.watches = append(r.watches, w)
}

// board is what all clients know of the objects, so that they get into each other's way. It has for
// each key the last book that anybody saw, which need not be the newest.
type board struct {
	mu     sync.Mutex // guards the fields below
	books  map[string]seenBook
	newest int64
}

// seenBook is a book as it came, to be sent back with changes.
type seenBook struct {
	data []byte // JSON or protobuf
	item Item
}

func newBoard() *board { return &board{books: map[string]seenBook{}} }

func (b *board) put(seen seenBook) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books[seen.item.Key] = seen
	b.newest = max(b.newest, seen.item.Revision)
}

func (b *board) get(key string) (seenBook, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	seen, ok := b.books[key]
	return seen, ok
}

func (b *board) reached(revision int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.newest = max(b.newest, revision)
}

func (b *board) revision() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.newest
}
