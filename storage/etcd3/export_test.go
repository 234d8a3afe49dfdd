package etcd3

import (
	"context"
	"log/slog"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
)

var (
	CheckVersion = checkVersion
	ReadError    = readError
	WriteError   = writeError
	WatchError   = watchError
)

// Pauses returns the first n pauses of whoever tries again after a failure, and how long each may
// have been.
func Pauses(n int) (pauses, limits []time.Duration) {
	b := backoff{limit: firstPause}
	for range n {
		limits = append(limits, b.limit)
		pauses = append(pauses, b.pause())
	}
	return pauses, limits
}

// Paused says whether w has given up its watch because too much is pending.
func Paused(w storage.Watcher) bool {
	s := w.(*watcher)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

// StoppedCompactor returns a compactor that does nothing by itself.
func StoppedCompactor(client *Client, config CompactorConfig) *Compactor {
	if config.Needed == nil {
		config.Needed = func() int64 { return 0 }
	}
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	return &Compactor{client: client, config: config}
}

// CompactorStep is one round of c.
func CompactorStep(c *Compactor, ctx context.Context) error { return c.step(ctx) }

// UseLease makes s believe that it has attached so many more entries to a lease.
func UseLease(s *Store, id clientv3.LeaseID, keys int) { s.leases.held[id].keys += keys }
