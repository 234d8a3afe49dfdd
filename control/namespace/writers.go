package namespace

import (
	"context"
	"sync"
)

// writers counts who is creating something in a namespace. A create that asked before the namespace was on its way out may
// write after: who empties the namespace waits for it.
type writers struct {
	mu      sync.Mutex // guards both
	count   map[string]int
	waiting map[string][]chan struct{}
}

func newWriters() *writers {
	return &writers{count: map[string]int{}, waiting: map[string][]chan struct{}{}}
}

// enter counts one, and returns what ends it.
func (w *writers) enter(namespace string) (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count[namespace]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.count[namespace]--; w.count[namespace] > 0 {
			return
		}
		delete(w.count, namespace)
		for _, waiting := range w.waiting[namespace] {
			close(waiting)
		}
		delete(w.waiting, namespace)
	}
}

// wait returns when a moment has come at which nobody was creating in the namespace, or ctx ends.
func (w *writers) wait(ctx context.Context, namespace string) {
	w.mu.Lock()
	if w.count[namespace] == 0 {
		w.mu.Unlock()
		return
	}
	none := make(chan struct{})
	w.waiting[namespace] = append(w.waiting[namespace], none)
	w.mu.Unlock()
	select {
	case <-none:
	case <-ctx.Done():
	}
}
