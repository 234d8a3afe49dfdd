package server

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
)

// TestLull: who waits goes on behind those who can run already. The scheduler looks at the network
// after 10 ms in any case, so it is not always so on a machine that does other things.
func TestLull(t *testing.T) {
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
		if lulls.wait(); left.Load() > 0 {
			continue
		}
		if shown++; shown == 20 {
			return
		}
	}
	t.Errorf("only %d lulls of 2000 were some", shown)
}

// TestLullsForAll: everybody who waits goes on, however many they are.
func TestLullsForAll(t *testing.T) {
	gone := make(chan mood)
	const n = 500
	for range n {
		go func() { gone <- lulls.wait() }()
	}
	for range n {
		<-gone
	}
}

func TestMood(t *testing.T) {
	for _, tc := range []struct {
		took time.Duration
		last mood
		want mood
	}{
		{5 * time.Microsecond, idle, idle},
		{5 * time.Microsecond, crowded, idle},
		{100 * time.Microsecond, idle, working},
		{10 * time.Millisecond, idle, crowded},
		{10 * time.Millisecond, working, crowded},
		{10 * time.Millisecond, crowded, working}, // the crowd that was let go
	} {
		if got := moodAfter(tc.took, tc.last); got != tc.want {
			t.Errorf("%v after %d: got %d, want %d", tc.took, tc.last, got, tc.want)
		}
	}
}

// BenchmarkLull is what it costs to wait where nothing else is to be done.
func BenchmarkLull(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		lulls.wait()
	}
}
