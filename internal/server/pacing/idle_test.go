package pacing

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestWaitIdle: who waits goes on behind those who can run already. The scheduler looks at the
// network after 10 ms in any case, so it is not always so on a machine that does other things.
func TestWaitIdle(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	shown := 0
	for range 2000 {
		var left atomic.Int32
		for range 200 {
			left.Add(1)
			go func() {
				defer left.Add(-1)
				for range 10 {
					runtime.Gosched()
				}
			}()
		}
		if WaitIdle(); left.Load() > 0 {
			continue
		}
		if shown++; shown == 20 {
			return
		}
	}
	t.Errorf("only %d of 2000 moments were idle", shown)
}

// TestWaitIdleForAll: everybody who waits goes on, however many they are.
func TestWaitIdleForAll(t *testing.T) {
	gone := make(chan Load)
	const n = 500
	for range n {
		go func() { gone <- WaitIdle() }()
	}
	for range n {
		<-gone
	}
}

func TestLoad(t *testing.T) {
	for _, tc := range []struct {
		took time.Duration
		last Load
		want Load
	}{
		{5 * time.Microsecond, Idle, Idle},
		{5 * time.Microsecond, Crowded, Idle},
		{100 * time.Microsecond, Idle, Working},
		{10 * time.Millisecond, Idle, Crowded},
		{10 * time.Millisecond, Working, Crowded},
		{10 * time.Millisecond, Crowded, Working}, // the crowd that was let go
	} {
		if got := loadAfter(tc.took, tc.last); got != tc.want {
			t.Errorf("%v after %d: got %d, want %d", tc.took, tc.last, got, tc.want)
		}
	}
}

// BenchmarkWaitIdle is what it costs to wait where nothing else is to be done.
func BenchmarkWaitIdle(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		WaitIdle()
	}
}
