package database

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/typeplane/typeplane/storage"
)

// A server whose etcd has no quorum says so every ten seconds, in the same words, until etcd
// answers or the server is stopped. The clock is not the real one.
func TestAwaitQuorum(t *testing.T) {
	silent := &storage.Error{Code: storage.CodeUnavailable, Op: "ready", Err: errors.New("no leader")}
	for _, tc := range []struct {
		name     string
		takes    time.Duration // each answer
		answer   error         // the one after down
		down     time.Duration
		stopped  time.Duration // 0: never
		said     int
		returned time.Duration
		err      string
	}{
		{name: "etcd is well"},
		{name: "it refuses", answer: &storage.Error{Code: storage.CodeOther, Err: errors.New("permission denied")}},
		{name: "it says at once that it has no leader", down: 35 * time.Second, said: 4, returned: 40 * time.Second},
		{name: "it says nothing", takes: waitingSaid, down: 35 * time.Second, said: 4, returned: 50 * time.Second},
		{name: "stopped", takes: waitingSaid, down: time.Hour, stopped: 25 * time.Second, said: 2, returned: 25 * time.Second, err: noQuorum},
		{name: "stopped between", down: time.Hour, stopped: 25 * time.Second, said: 3, returned: 25 * time.Second, err: noQuorum},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tc.stopped > 0 {
					time.AfterFunc(tc.stopped, cancel)
				}
				begin := time.Now()
				ask := func(ctx context.Context) error {
					down := time.Since(begin) < tc.down
					select {
					case <-time.After(tc.takes):
					case <-ctx.Done():
						return ctx.Err()
					}
					if down {
						return silent
					}
					return tc.answer
				}
				var out bytes.Buffer
				err := awaitQuorum(ctx, ask, slog.New(slog.NewTextHandler(&out, nil)))
				if tc.err == "" && err != nil || tc.err != "" && (!errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), tc.err)) {
					t.Errorf("returned %v", err)
				}
				if took := time.Since(begin); took != tc.returned {
					t.Errorf("returned after %v, want %v", took, tc.returned)
				}
				if said := strings.Count(out.String(), noQuorum); said != tc.said || said != strings.Count(out.String(), "no leader") {
					t.Errorf("said it %d times, want %d:\n%s", said, tc.said, &out)
				}
			})
		})
	}
}
