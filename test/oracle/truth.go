package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// booksPrefix is where the servers keep books in etcd.
const booksPrefix = "/registry/library.example.com/books/"

// oracle watches etcd itself, past all proxies, and notes every revision.
type oracle struct {
	client *clientv3.Client
	ended  chan struct{}
	cancel context.CancelFunc

	mu    sync.Mutex // guards the fields below
	truth Truth
	err   error
	moved chan struct{} // closed and replaced when truth.Last grows
}

// startOracle begins at the first revision, which must be before anything is compacted.
func startOracle(client *clientv3.Client) *oracle {
	ctx, cancel := context.WithCancel(context.Background())
	o := &oracle{client: client, ended: make(chan struct{}), cancel: cancel, moved: make(chan struct{})}
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
	for _, ev := range events {
		if ev.Kv.ModRevision <= o.truth.Last {
			continue // etcd may repeat itself after a reconnection
		}
		o.truth.Last = ev.Kv.ModRevision
		key, ok := strings.CutPrefix(string(ev.Kv.Key), booksPrefix)
		if !ok {
			continue
		}
		ver := Version{Key: key, Revision: ev.Kv.ModRevision, Deleted: ev.Type == clientv3.EventTypeDelete}
		if !ver.Deleted {
			object, err := storedObject(ev.Kv.Value)
			if err != nil {
				o.err = fmt.Errorf("the value of %s at revision %d: %w", key, ver.Revision, err)
				return
			}
			ver.Object = object
		}
		o.truth.Versions = append(o.truth.Versions, ver)
	}
	close(o.moved)
	o.moved = make(chan struct{})
}

func storedObject(value []byte) (Object, error) {
	book, err := decodeBook(value)
	if err != nil {
		return Object{}, err
	}
	return objectOf(book)
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
