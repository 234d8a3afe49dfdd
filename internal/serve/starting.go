package serve

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// The pauses of a start that waits for its database: each twice as long as the one before.
const firstPause, lastPause = 100 * time.Millisecond, 10 * time.Second

// untilAvailable calls open until it succeeds, fails for another reason than an unavailable
// database, or ctx ends. open begins from nothing each time, because a write of which the outcome
// is unknown can't be repeated by itself. A database that was never reached is not waited for: its
// address or the credentials may be wrong. say gets the reason for waiting.
func untilAvailable(ctx context.Context, log *slog.Logger, say func(string), open func() error) error {
	begin, pause, reached := time.Now(), firstPause, false
	for {
		err := open()
		switch storage.CodeOf(err) {
		case storage.CodeUnavailable, storage.CodeUnknown, storage.CodeNotReady:
			reached = true
		default:
			if !reached || !etcd3.Unreached(err) {
				return err
			}
		}
		log.Warn("the database became unavailable during the start, which is tried again", "waited", time.Since(begin).Round(time.Second).String(), "error", err)
		say("its database is unavailable")
		if wait.Sleep(ctx, pause) != nil {
			return fmt.Errorf("stopped while waiting for the database: %w: %w", context.Cause(ctx), err)
		}
		pause = min(2*pause, lastPause)
	}
}
