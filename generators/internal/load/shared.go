package load

import "sync"

// Shared remembers what the go command said about packages of other modules. It is for runs one
// after the other or at the same time, in modules that have the same requirements, as those of
// tests. The zero value is ready.
type Shared struct {
	mu    sync.Mutex // guards nodes
	nodes map[string]*node
}

// lend makes what is remembered known to a set.
func (h *Shared) lend(s *Set, paths []string) {
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

// keep remembers packages whose export data is known.
func (h *Shared) keep(nodes []*node) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.nodes == nil {
		h.nodes = map[string]*node{}
	}
	for _, n := range nodes {
		if n.export != "" && !n.main {
			h.nodes[n.path] = n
		}
	}
}
