package serve

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

func TestGCPercent(t *testing.T) {
	for _, tc := range []struct {
		live uint64
		want int
	}{{0, 100}, {40 << 20, 100}, {64 << 20, 100}, {128 << 20, 75}, {512 << 20, 37}, {8 << 30, 25}} {
		if got := gcPercent(tc.live); got != tc.want {
			t.Errorf("%d MiB in use: %d %%, want %d", tc.live>>20, got, tc.want)
		}
	}
}

// TestCollector: a process that keeps much is collected earlier than Go would once it is full,
// unless its environment says how often.
func TestCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	kept := make([]byte, 256<<20)
	runtime.GC()
	percent := func() int {
		now := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(now)
		return int(now[0].Value.Uint64())
	}
	t.Setenv("GOGC", "100")
	startCollector().pace(t.Context())
	if got := percent(); got != 100 {
		t.Errorf("%d %% though the environment says 100", got)
	}
	t.Setenv("GOGC", "")
	c := startCollector()
	if got := percent(); got != fillPercent {
		t.Errorf("%d %% at the start", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	done := make(chan struct{})
	go func() {
		c.pace(ctx)
		close(done)
	}()
	for percent() > 60 && ctx.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	if got := percent(); got > 60 || got < 40 {
		t.Errorf("%d %% with 256 MiB in use", got)
	}
	runtime.KeepAlive(kept)
}
