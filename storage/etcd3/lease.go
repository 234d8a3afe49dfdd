package etcd3

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

// leasedKeys is how many entries are attached to one lease: etcd deletes all of them in one
// transaction when it ends.
const leasedKeys = 1000

// leases are those that a store can use again. A lease of its own for each entry would cost etcd
// more than the entry. So one is granted for a little longer than it is wanted for, and taken for
// everything that is to end meanwhile.
type leases struct {
	client   *Client
	granting chan struct{} // holds a token while somebody asks etcd for one, so that others wait for that

	mu   *sync.Mutex // guards held
	held map[clientv3.LeaseID]*lease
}

type lease struct {
	ends time.Time // not before
	keys int
}

func newLeases(client *Client) leases {
	return leases{client: client, granting: make(chan struct{}, 1), mu: new(sync.Mutex), held: map[clientv3.LeaseID]*lease{}}
}

// slack is how much later than wanted an entry may end.
func slack(lifetime time.Duration) time.Duration {
	return min(max(lifetime/20, time.Second), time.Minute)
}

// take returns a lease that lasts for lifetime at least, and for its slack longer at most.
func (l *leases) take(ctx context.Context, lifetime time.Duration) (clientv3.LeaseID, error) {
	if id, ok := l.use(lifetime); ok {
		return id, nil
	}
	select {
	case l.granting <- struct{}{}:
		defer func() { <-l.granting }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	if id, ok := l.use(lifetime); ok {
		return id, nil
	}
	// Whole seconds, rounded up: one that is wanted for 90 ms is there for a second.
	seconds := int64((lifetime + slack(lifetime)/2 + time.Second - 1) / time.Second)
	begin := time.Now()
	resp, err := l.client.Grant(ctx, seconds)
	if err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[resp.ID] = &lease{ends: begin.Add(time.Duration(resp.TTL) * time.Second), keys: 1}
	return resp.ID, nil
}

// use takes one that is there.
func (l *leases) use(lifetime time.Duration) (clientv3.LeaseID, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for id, held := range l.held {
		left := held.ends.Sub(now)
		switch {
		case left <= 0 || held.keys >= leasedKeys:
			delete(l.held, id)
		case left >= lifetime && left <= lifetime+slack(lifetime):
			held.keys++
			return id, true
		}
	}
	return 0, false
}

// forget drops a lease that etcd does not know any more.
func (l *leases) forget(id clientv3.LeaseID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.held, id)
}

// leaseError translates why no lease was granted. Nothing was written then.
func leaseError(ctx context.Context, op, key string, err error) error {
	if errors.Is(err, rpctypes.ErrNoSpace) {
		return &storage.Error{Code: storage.CodeNoSpace, Op: op, Key: key, Err: errNoSpace}
	}
	return readError(ctx, op, key, err)
}
