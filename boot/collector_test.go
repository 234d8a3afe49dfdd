package boot

import (
	"context"
	"runtime"
	"runtime/debug"
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

// TestPaceCollector: a process that keeps much is collected earlier than Go would, unless its environment says how often.
func TestPaceCollector(t *testing.T) {
	before := debug.SetGCPercent(100)
	defer debug.SetGCPercent(before)
	kept := make([]byte, 256<<20)
	runtime.GC()
	pace := func(until func() bool) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		done := make(chan struct{})
		go func() {
			paceCollector(ctx)
			close(done)
		}()
		for !until() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
		<-done
	}
	percent := func() int {
		now := debug.SetGCPercent(100)
		debug.SetGCPercent(now)
		return now
	}
	t.Setenv("GOGC", "100")
	pace(func() bool { return true })
	if got := percent(); got != 100 {
		t.Errorf("%d %% though the environment says 100", got)
	}
	t.Setenv("GOGC", "")
	pace(func() bool { return percent() < 60 })
	if got := percent(); got > 60 || got < 40 {
		t.Errorf("%d %% with 256 MiB in use", got)
	}
	runtime.KeepAlive(kept)
}
