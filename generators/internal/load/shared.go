package load

import (
	"go/token"
	"sync"
)

// Shared holds checked packages of other modules, for runs in modules with the same requirements,
// as those of tests. The runs may be parallel. The zero value is ready.
type Shared struct {
	once   sync.Once
	fset   *token.FileSet
	filled sync.Mutex // held while a run adds packages, so that each package is checked once
	mu     sync.Mutex // guards nodes
	nodes  map[string]*node
}

// files returns the positions of all runs.
func (h *Shared) files() *token.FileSet {
	h.once.Do(func() { h.fset = token.NewFileSet() })
	return h.fset
}

// lend makes shared packages known to a set.
func (s *Set) lend(paths ...string) {
	h := s.cfg.Shared
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, path := range paths {
		if n := h.nodes[path]; n != nil && s.nodes[path] == nil {
			s.nodes[path] = n
		}
	}
}

// reserve waits until no other run adds shared packages, and keeps others from it until release.
func (s *Set) reserve() {
	if s.cfg.Shared != nil && !s.reserved {
		s.cfg.Shared.filled.Lock()
		s.reserved = true
	}
}

// release ends reserve, and adds checked packages to the shared ones. A package that depends on one
// of the main module, or that has a fault, belongs to this run only. release does nothing if
// reserve was not called.
func (s *Set) release(checked []*node) {
	if !s.reserved {
		return
	}
	s.reserved = false
	h := s.cfg.Shared
	defer h.filled.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.nodes == nil {
		h.nodes = map[string]*node{}
	}
	for _, n := range checked {
		if n.fault == nil && !n.bound {
			h.nodes[n.path] = n
		}
	}
}
