package program

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
)

// TestAlone: loops of one lease run together while it is held; without an election they run in
// every server.
func TestAlone(t *testing.T) {
	for name, held := range map[string]string{"no election": "", "one lease is held": "a"} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var ran []string
			h := new(Host)
			for _, loop := range []string{"a/1", "a/2", "b/1"} {
				lease, _, _ := strings.Cut(loop, "/")
				h.Alone(lease, func(context.Context) {
					mu.Lock()
					defer mu.Unlock()
					ran = append(ran, loop)
				})
			}
			want := []string{"a/1", "a/2", "b/1"}
			if held != "" {
				want = want[:2]
				h.Elect = func(ctx context.Context, lease string, lead func(context.Context)) {
					if lease == held {
						lead(ctx)
					}
				}
			}
			StartLoops(t.Context(), slog.New(slog.DiscardHandler), Loops(h))()
			if slices.Sort(ran); !slices.Equal(ran, want) {
				t.Errorf("%q ran, want %q", ran, want)
			}
		})
	}
}
