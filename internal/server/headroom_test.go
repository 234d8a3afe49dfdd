package server

import (
	"bytes"
	"io"
	"math"
	"net/http/httptest"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"testing"
)

// TestHeadroom makes long answers while nobody else collects, as Go does when it has given up. Each
// leaves garbage behind whenever it writes. Without headroom that would be a gigabyte.
func TestHeadroom(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	runtime.GC()
	now := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	objects := func() int64 { metrics.Read(now); return int64(now[0].Value.Uint64()) }
	const room, piece, answers = 32 << 20, 64 << 10, 16
	was := newHeadroom(func() int64 { return math.MaxInt64 })
	limit := was.inUse() + room
	defer func(h *headroom) { memory = h }(memory)
	memory = newHeadroom(func() int64 { return limit })

	var mu sync.Mutex
	most := int64(0)
	var all sync.WaitGroup
	for range answers {
		all.Go(func() {
			w := beginWork()
			w.passOn(io.Discard, math.MaxInt)
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

// TestLargeBodyWaits: where there is no room, nobody reads a large body before a collection.
func TestLargeBodyWaits(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer func(h *headroom) { memory = h }(memory)
	memory = newHeadroom(func() int64 { return 1 })
	collections := func() int64 {
		var stats debug.GCStats
		debug.ReadGCStats(&stats)
		return stats.NumGC
	}
	s := &Server{config: Config{MaxBody: 1 << 20}}
	for _, tc := range []struct {
		size  int
		waits bool
	}{{largeBody, false}, {largeBody + 1, true}} {
		before := collections()
		c := &call{req: httptest.NewRequest("POST", "/", bytes.NewReader(make([]byte, tc.size))), ctx: t.Context()}
		if body, err := s.readBody(c); err != nil || len(body) != tc.size {
			t.Fatal(len(body), err)
		}
		if waited := collections() > before; waited != tc.waits {
			t.Errorf("%d bytes: waited %v", tc.size, waited)
		}
	}
}
