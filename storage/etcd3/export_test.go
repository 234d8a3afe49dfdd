package etcd3

import (
	"context"
	"log/slog"

	"github.com/typeplane/typeplane/storage"
)

var (
	CheckVersion = checkVersion
	ReadError    = readError
	WriteError   = writeError
	WatchError   = watchError
)

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
