package database

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// noQuorum says of a cluster with which there is a connection why it can't be used.
const noQuorum = "the members that can be reached do not answer, as if most of them were down"

// waitingSaid is how often a server that waits for etcd says so.
const waitingSaid = 10 * time.Second

// awaitQuorum returns when etcd answers ask, which takes waitingSaid at most, also if it refuses.
// It returns an error if ctx ends before. Meanwhile it says again and again what it waits for.
func awaitQuorum(ctx context.Context, ask func(context.Context) error, log *slog.Logger) error {
	begin := time.Now()
	again := time.NewTicker(waitingSaid)
	defer again.Stop()
	for {
		err := ask(ctx)
		if ctx.Err() == nil {
			if storage.CodeOf(err) != storage.CodeUnavailable {
				return nil // what comes next has the same error, if there is one
			}
			log.Warn("waiting for etcd: "+noQuorum, "waited", time.Since(begin).Round(time.Second).String(), "error", err)
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return fmt.Errorf("stopped while waiting for etcd: %s: %w", noQuorum, context.Cause(ctx))
		}
	}
}
