package etcd3

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/internal/recovery"
)

// compactKey is where the servers on one etcd agree who compacts it: Kubernetes' key, and its
// protocol. The value is the revision that is compacted; the version of the key counts the rounds.
// Who finds it at the version that it saw last has the turn; for all others the round is over.
const compactKey = "compact_rev_key"

// heldRounds is how many compactions are put off because somebody still needs what would go.
// Whoever has made no progress for so long has to start anew, for a history that grows without end
// fills the disk of all.
const heldRounds = 6

// CompactorConfig says how to compact.
type CompactorConfig struct {
	// Interval is the time between two rounds. A round compacts what was old at the round before,
	// so history reaches back one interval at least, and two at most, except for what Needed keeps.
	Interval time.Duration
	// Needed returns the oldest revision that something in this process goes on from, 0 if there is
	// none; it is kept, though for six rounds at most. nil is the same as 0. It is called by the
	// compactor's goroutine, and must not block.
	Needed func() int64
	// Log is told of rounds that fail; nil drops that.
	Log *slog.Logger
}

// Compactor compacts an etcd from time to time, taking turns with the other servers on it. A round
// that fails is logged, and the next one makes up for it.
type Compactor struct {
	client *Client
	config CompactorConfig

	round    int64 // the version of compactKey that was seen last
	revision int64 // of etcd at that time
	held     int   // rounds in which Needed stood in the way

	cancel context.CancelFunc
	done   chan struct{}
}

// NewCompactor starts a compactor. The caller closes it before the client.
func NewCompactor(client *Client, config CompactorConfig) *Compactor {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	if config.Needed == nil {
		config.Needed = func() int64 { return 0 }
	}
	c := &Compactor{client: client, config: config, done: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	go c.run(ctx)
	return c
}

// Close ends the compactor and waits for it.
func (c *Compactor) Close() {
	c.cancel()
	<-c.done
}

func (c *Compactor) run(ctx context.Context) {
	defer close(c.done)
	ticks := time.NewTicker(c.config.Interval)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
		case <-ctx.Done():
			return
		}
		step, cancel := context.WithTimeout(ctx, max(c.config.Interval, time.Minute))
		err := recovery.Call(c.config.Log, "compactor", "", func() error { return c.step(step) })
		if err != nil && ctx.Err() == nil {
			c.config.Log.Warn("etcd could not be compacted; it is tried again in the next round", "error", err)
		}
		cancel()
	}
}

// step is one round.
func (c *Compactor) step(ctx context.Context) error {
	target := c.target()
	resp, err := c.client.Txn(ctx).
		If(clientv3.Compare(clientv3.Version(compactKey), "=", c.round)).
		Then(clientv3.OpPut(compactKey, strconv.FormatInt(target, 10))).
		Else(clientv3.OpGet(compactKey)).Commit()
	if err != nil {
		return writeError(ctx, "compact", "/"+compactKey, err)
	}
	c.revision = resp.Header.Revision
	if !resp.Succeeded {
		c.round = 0
		if kvs := resp.Responses[0].GetResponseRange().Kvs; len(kvs) > 0 {
			c.round = kvs[0].Version
		}
		return nil
	}
	c.round++
	if target == 0 {
		return nil
	}
	if _, err := c.client.Compact(ctx, target); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return readError(ctx, "compact", "/", err)
	}
	return nil
}

// Forget compacts all that was written until now, whoever needs it: watches that begin before end
// with storage.CodeCompacted.
func Forget(ctx context.Context, client *Client) error {
	revision, err := New(client, Config{}).Revision(ctx)
	if err != nil {
		return err
	}
	if _, err := client.Compact(ctx, revision); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
		return writeError(ctx, "compact", "/", err)
	}
	return nil
}

// target is the revision to compact in this round: what was current at the last one, but not what
// is needed yet.
func (c *Compactor) target() int64 {
	needed := c.config.Needed()
	if needed == 0 || needed >= c.revision {
		c.held = 0
		return c.revision
	}
	if c.held++; c.held > heldRounds {
		c.config.Log.Warn("etcd is compacted beyond what a watch cache goes on from, which has made no progress for too long",
			"needed", needed, "revision", c.revision)
		return c.revision
	}
	return needed
}

// Compacted returns the newest revision that etcd has compacted away, whoever asked for it, or 0.
func Compacted(ctx context.Context, client *Client) (int64, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// A watch that begins with the first revision is told where it may begin instead.
	stream, stop := context.WithCancel(streamContext())
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	for resp := range client.Watch(stream, compactKey, clientv3.WithRev(1), clientv3.WithCreatedNotify()) {
		switch {
		case resp.CompactRevision > 0:
			return resp.CompactRevision, nil
		case resp.Err() != nil:
			return 0, readError(ctx, "compacted", "/", resp.Err())
		case !resp.Created:
			return 0, nil // an event of the first revisions: nothing is gone
		}
		if now, err := client.Get(ctx, compactKey, clientv3.WithRev(1), clientv3.WithCountOnly()); err == nil && now != nil {
			return 0, nil
		} else if err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
			return 0, readError(ctx, "compacted", "/", err)
		}
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	return 0, readError(ctx, "compacted", "/", errEnded)
}
