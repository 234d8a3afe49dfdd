package etcd3

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

// leaderless is how long no member must have known a leader until the quorum counts as lost. An
// election is over in less, and what waits for it is carried out then.
const leaderless = 1500 * time.Millisecond

// errLostQuorum is what became of a request that was on its way. It names no member: what these say
// could be taken for the answer.
var errLostQuorum = errors.New("etcd lost its quorum before it answered")

// standing is how a member is.
type standing struct {
	// leads says that it answers, or at least knows a leader: then it may be slow, and what is
	// asked of it is waited for.
	leads bool
	// why it does not answer; "" if it does.
	why string
}

// quorum knows whether a cluster can carry out anything. It is lost when no member knows a leader
// any more, because it says so or because it can't be reached. An etcd that is slow knows one. All
// methods may be called from any goroutine.
type quorum struct {
	endpoints []string

	mu      sync.Mutex // guards what follows
	members []standing // by index in endpoints
	timer   *time.Timer
	timers  int             // how many there were
	has     context.Context // ended while it is lost
	lost    context.CancelFunc
}

func newQuorum(endpoints []string) *quorum {
	q := &quorum{endpoints: endpoints, members: make([]standing, len(endpoints))}
	q.has, q.lost = context.WithCancel(context.Background())
	for i := range q.members {
		q.members[i].leads = true
	}
	return q
}

// note remembers how a member is.
func (q *quorum) note(i int, s standing) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.members[i] = s
	for _, m := range q.members {
		if m.leads {
			q.found()
			return
		}
	}
	if q.timer == nil && q.has.Err() == nil {
		q.timers++
		number := q.timers
		q.timer = time.AfterFunc(leaderless, func() { q.lose(number) })
	}
}

// found is called with the lock held.
func (q *quorum) found() {
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
	if q.has.Err() != nil {
		q.has, q.lost = context.WithCancel(context.Background())
	}
}

// lose is called by a timer with a number, which may have been stopped too late.
func (q *quorum) lose(number int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.timer == nil || q.timers != number {
		return
	}
	q.timer = nil
	q.lost()
}

// missing are the members that do not answer, each with the reason.
func (q *quorum) missing() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.missingLocked()
}

func (q *quorum) missingLocked() (missing []string) {
	for i, m := range q.members {
		if m.why != "" {
			missing = append(missing, fmt.Sprintf("%s (%s)", q.endpoints[i], m.why))
		}
	}
	return missing
}

// check returns an error while the quorum is lost.
func (q *quorum) check() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.has.Err() == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", storage.ErrNoQuorum, strings.Join(q.missingLocked(), ", "))
}

// while returns a context that ends with ctx, or when the quorum is lost; then its cause is
// errLostQuorum.
func (q *quorum) while(ctx context.Context) (context.Context, context.CancelFunc) {
	q.mu.Lock()
	has := q.has
	q.mu.Unlock()
	short, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(has, func() { cancel(errLostQuorum) })
	return short, func() {
		stop()
		cancel(nil)
	}
}

// Missing are the members of a cluster that do not answer, each with the reason; none for an etcd
// in this process.
func Missing(client *Client) []string {
	if kv, ok := client.KV.(*quorumKV); ok {
		return kv.quorum.missing()
	}
	return nil
}

// wrap makes a client refuse what needs a quorum while there is none, and not wait for the answer
// to what is on its way then.
func (q *quorum) wrap(client *Client) {
	client.KV = &quorumKV{client.KV, q}
	client.Lease = &quorumLease{client.Lease, q}
}

type quorumKV struct {
	clientv3.KV
	quorum *quorum
}

// Get implements clientv3.KV.
func (k *quorumKV) Get(ctx context.Context, key string, opts ...clientv3.OpOption) (*clientv3.GetResponse, error) {
	return ask(ctx, k.quorum, func(ctx context.Context) (*clientv3.GetResponse, error) { return k.KV.Get(ctx, key, opts...) })
}

// ask makes a request that changes nothing that anybody would miss.
func ask[T any](ctx context.Context, q *quorum, request func(context.Context) (T, error)) (answer T, err error) {
	if err := q.check(); err != nil {
		return answer, err
	}
	short, done := q.while(ctx)
	defer done()
	answer, err = request(short)
	if err != nil && context.Cause(short) == errLostQuorum {
		return answer, fmt.Errorf("%w: %v", storage.ErrNoQuorum, errLostQuorum)
	}
	return answer, err
}

// Txn implements clientv3.KV.
func (k *quorumKV) Txn(ctx context.Context) clientv3.Txn {
	short, done := k.quorum.while(ctx)
	return &quorumTxn{txn: k.KV.Txn(short), quorum: k.quorum, ctx: short, done: done}
}

type quorumTxn struct {
	txn    clientv3.Txn
	quorum *quorum
	ctx    context.Context
	done   context.CancelFunc
}

func (t *quorumTxn) If(cs ...clientv3.Cmp) clientv3.Txn  { t.txn = t.txn.If(cs...); return t }
func (t *quorumTxn) Then(os ...clientv3.Op) clientv3.Txn { t.txn = t.txn.Then(os...); return t }
func (t *quorumTxn) Else(os ...clientv3.Op) clientv3.Txn { t.txn = t.txn.Else(os...); return t }

// Commit implements clientv3.Txn. What was sent may have been carried out, which is why its error
// is not that of what was not.
func (t *quorumTxn) Commit() (*clientv3.TxnResponse, error) {
	defer t.done()
	if err := t.quorum.check(); err != nil {
		return nil, err
	}
	resp, err := t.txn.Commit()
	if err != nil && context.Cause(t.ctx) == errLostQuorum {
		return nil, errLostQuorum
	}
	return resp, err
}

type quorumLease struct {
	clientv3.Lease
	quorum *quorum
}

// Grant implements clientv3.Lease.
func (l *quorumLease) Grant(ctx context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	return ask(ctx, l.quorum, func(ctx context.Context) (*clientv3.LeaseGrantResponse, error) { return l.Lease.Grant(ctx, ttl) })
}
