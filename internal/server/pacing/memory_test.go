package pacing

import (
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
)

// TestWaitMemory makes long answers while nobody else collects, as Go does when it has given up.
// Each leaves garbage behind whenever it writes. Without a wait that would be a gigabyte.
func TestWaitMemory(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	now := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	objects := func() int64 { metrics.Read(now); return int64(now[0].Value.Uint64()) }
	const room, piece, answers = 32 << 20, 64 << 10, 16
	was := newMemoryLimit(func() int64 { return math.MaxInt64 })
	limit := was.inUse() + room
	defer func(m *memoryLimit) { memory = m }(memory)
	memory = newMemoryLimit(func() int64 { return limit })

	var mu sync.Mutex
	most := int64(0)
	var all sync.WaitGroup
	for range answers {
		all.Go(func() {
			w := Begin()
			w.SetOutput(io.Discard, math.MaxInt)
			for range 1 << 30 / answers / piece {
				if _, err := w.Write(make([]byte, piece)); err != nil {
					t.Error(err)
				}
				mu.Lock()
				most = max(most, objects())
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if bound := int64(512 << 20); most > bound {
		t.Errorf("%d MiB of garbage, want at most %d", most>>20, bound>>20)
	}
}
