package cacher

import (
	"sync"
	"unsafe"
	"weak"

	"github.com/typeplane/typeplane/storage"
)

// long is from how many entries on a list is shared.
const long = 1000

// listed is the last list of everything. Who asks for the same shares it, as long as somebody has
// it. So many who list everything at once hold one list, and not one each: of 100,000 entries it
// takes 800 KB.
type listed struct {
	mu    sync.Mutex // guards what follows
	of    moment
	first weak.Pointer[*storage.Entry]
	n     int
}

// moment is what all states have in common that have the same entries.
type moment struct{ revision, epoch, readings int64 }

// everything is the list of all that a state has below the prefix of the cache.
func (l *listed) everything(s *state, prefix string) storage.Page {
	if s.tree.Len() < long {
		return s.page(prefix, storage.ListOptions{})
	}
	of := moment{s.revision, s.epoch, s.readings}
	l.mu.Lock()
	defer l.mu.Unlock()
	if first := l.first.Value(); first != nil && l.of == of {
		return storage.Page{Entries: unsafe.Slice(first, l.n), Revision: s.revision}
	}
	page := s.page(prefix, storage.ListOptions{})
	l.of, l.first, l.n = of, weak.Make(&page.Entries[0]), len(page.Entries)
	return page
}
