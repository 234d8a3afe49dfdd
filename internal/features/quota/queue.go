package quota

import (
	"context"
	"sync"
)

// queue lets the writers of this process that charge quotas of a namespace go one after the other.
// Each of them moves a quota that the next one is decided on, so all but one would have to try
// again. It is not what makes charges exact.
type queue struct {
	mu      sync.Mutex // guards waiting
	waiting map[string]*turn
}

type turn struct {
	free  chan struct{} // holds a token while nobody has the turn
	count int           // of those who have it or want it
}

// enter waits for the turn of a namespace. leave gives it back; it is called once.
func (q *queue) enter(ctx context.Context, namespace string) (leave func(), err error) {
	q.mu.Lock()
	t := q.waiting[namespace]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		q.waiting[namespace] = t
	}
	t.count++
	q.mu.Unlock()
	select {
	case <-t.free:
		return func() {
			t.free <- struct{}{}
			q.drop(namespace, t)
		}, nil
	case <-ctx.Done():
		q.drop(namespace, t)
		return nil, ctx.Err()
	}
}

func (q *queue) drop(namespace string, t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.count--; t.count == 0 {
		delete(q.waiting, namespace)
	}
}
