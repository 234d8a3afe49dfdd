package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
)

// booksPrefix is where the servers keep books in etcd.
const booksPrefix = "/registry/library.example.com/books/"

// Where the servers keep namespaces and quotas.
const (
	namespacesPrefix = "/registry/namespaces/"
	quotasPrefix     = "/registry/resourcequotas/"
)

// oracle watches etcd itself, past all proxies, and notes every revision.
type oracle struct {
	client *clientv3.Client
	sealed *sealed
	ended  chan struct{}
	cancel context.CancelFunc

	mu    sync.Mutex // guards the fields below
	truth Truth
	err   error
	moved chan struct{} // closed and replaced when truth.Last grows
}

// startOracle begins at the first revision, which must be before anything is compacted.
func startOracle(client *clientv3.Client, sealed *sealed) *oracle {
	ctx, cancel := context.WithCancel(context.Background())
	o := &oracle{client: client, sealed: sealed, ended: make(chan struct{}), cancel: cancel, moved: make(chan struct{})}
	go func() {
		defer close(o.ended)
		for ctx.Err() == nil && o.failed() == nil {
			o.follow(ctx)
			select {
			case <-time.After(50 * time.Millisecond):
			case <-ctx.Done():
			}
		}
	}()
	return o
}

// follow is one watch, of all keys: so every revision has an event.
func (o *oracle) follow(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for resp := range o.client.Watch(ctx, "\x00", clientv3.WithFromKey(), clientv3.WithRev(o.last()+1)) {
		if resp.CompactRevision > 0 {
			o.fail(fmt.Errorf("etcd compacted up to revision %d before the oracle had seen it", resp.CompactRevision))
		}
		if resp.Err() != nil {
			return
		}
		o.add(resp.Events)
	}
}

func (o *oracle) add(events []*clientv3.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	known := o.truth.Last
	for _, ev := range events {
		if ev.Kv.ModRevision <= known {
			continue // etcd may repeat itself after a reconnection
		}
		o.truth.Last = ev.Kv.ModRevision
		if err := o.note(ev); err != nil {
			o.err = fmt.Errorf("the value of %s at revision %d: %w", ev.Kv.Key, ev.Kv.ModRevision, err)
			return
		}
	}
	close(o.moved)
	o.moved = make(chan struct{})
}

// note adds what has become of a key, if it is one of those that matter.
func (o *oracle) note(ev *clientv3.Event) (err error) {
	key, revision, gone := string(ev.Kv.Key), ev.Kv.ModRevision, ev.Type == clientv3.EventTypeDelete
	if name, ok := strings.CutPrefix(key, namespacesPrefix); ok {
		n := Namespace{Name: name, Revision: revision, Gone: gone}
		if !gone {
			n.Terminating, err = terminating(ev.Kv.Value)
		}
		o.truth.Namespaces = append(o.truth.Namespaces, n)
		return err
	}
	if name, ok := strings.CutPrefix(key, quotasPrefix); ok {
		namespace, _, _ := strings.Cut(name, "/")
		q := Quota{Namespace: namespace, Revision: revision, Gone: gone}
		if !gone {
			q.Hard, q.Used, err = limits(ev.Kv.Value)
		}
		o.truth.Quotas = append(o.truth.Quotas, q)
		return err
	}
	name, ok := strings.CutPrefix(key, booksPrefix)
	if !ok {
		return nil
	}
	ver := Version{Key: name, Revision: revision, Deleted: gone}
	if !gone {
		ver.Object, err = o.object(ev.Kv)
	}
	o.truth.Versions = append(o.truth.Versions, ver)
	return err
}

// object is the book of a value.
func (o *oracle) object(kv *mvccpb.KeyValue) (Object, error) {
	value, err := o.sealed.open(string(kv.Key), kv.Value)
	if err != nil {
		return Object{}, err
	}
	book, err := decodeBook(value)
	if err != nil {
		return Object{}, err
	}
	return objectOf(book)
}

func terminating(value []byte) (bool, error) {
	u, err := unwrap(value)
	if err != nil {
		return false, err
	}
	var namespace corev1.Namespace
	err = namespace.Unmarshal(u.Raw)
	return namespace.DeletionTimestamp != nil, err
}

// limits are what a quota allows, and what it says there is.
func limits(value []byte) (hard, used int64, err error) {
	u, err := unwrap(value)
	if err != nil {
		return 0, 0, err
	}
	var quota corev1.ResourceQuota
	if err := quota.Unmarshal(u.Raw); err != nil {
		return 0, 0, err
	}
	limit, says := quota.Spec.Hard[countBooks], quota.Status.Used[countBooks]
	return limit.Value(), says.Value(), nil
}

func (o *oracle) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
}

func (o *oracle) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *oracle) last() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.truth.Last
}

// known returns what is known so far. The caller must not change it.
func (o *oracle) known() Truth {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := o.truth
	t.Versions = t.Versions[:len(t.Versions):len(t.Versions)]
	t.Namespaces = t.Namespaces[:len(t.Namespaces):len(t.Namespaces)]
	t.Quotas = t.Quotas[:len(t.Quotas):len(t.Quotas)]
	return t
}

// until returns when the oracle has seen a revision.
func (o *oracle) until(ctx context.Context, revision int64) error {
	for {
		o.mu.Lock()
		last, moved, err := o.truth.Last, o.moved, o.err
		o.mu.Unlock()
		if last >= revision || err != nil {
			return err
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("the oracle is at revision %d, want %d: %w", last, revision, ctx.Err())
		}
	}
}

func (o *oracle) close() {
	o.cancel()
	<-o.ended
}
