package namespace

import (
	"context"
	"slices"
	"sync"
)

// writers knows who is writing something into a namespace. A create that was admitted before the namespace was on its way out
// may write after: who empties the namespace waits for it.
type writers struct {
	mu     sync.Mutex // guards the map and all groups in it
	groups map[string][]*group
}

// group are some writers who came after one wait and before the next.
type group struct {
	count  int
	closed bool // who comes now is of the next group
	gone   chan struct{}
}

func newWriters() *writers { return &writers{groups: map[string][]*group{}} }

// enter counts one, and returns what ends it.
func (w *writers) enter(namespace string) (leave func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	groups := w.groups[namespace]
	if len(groups) == 0 || groups[len(groups)-1].closed {
		groups = append(groups, &group{gone: make(chan struct{})})
		w.groups[namespace] = groups
	}
	mine := groups[len(groups)-1]
	mine.count++
	return func() { w.leave(namespace, mine) }
}

func (w *writers) leave(namespace string, mine *group) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if mine.count--; mine.count > 0 {
		return
	}
	close(mine.gone)
	groups := slices.DeleteFunc(w.groups[namespace], func(g *group) bool { return g == mine })
	if len(groups) == 0 {
		delete(w.groups, namespace)
		return
	}
	w.groups[namespace] = groups
}

// wait returns when everybody who is writing now has ended, or ctx ends. It does not wait for those who come later.
func (w *writers) wait(ctx context.Context, namespace string) {
	for _, g := range w.now(namespace) {
		select {
		case <-g.gone:
		case <-ctx.Done():
			return
		}
	}
}

// now returns those who are writing. Who comes later is of another group.
func (w *writers) now(namespace string) []*group {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, g := range w.groups[namespace] {
		g.closed = true
	}
	return slices.Clone(w.groups[namespace])
}
