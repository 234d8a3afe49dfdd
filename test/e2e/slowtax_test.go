package e2e

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

var slowRounds = flag.Int("slow-rounds", 1, "how many rounds TestSlowClient has")

// TestSlowClient measures how late events come to watchers, with and without one beside them that
// does not read, in turn. The log and the scorecard have the proportion; there is no bound here,
// since machines are busy.
func TestSlowClient(t *testing.T) {
	const watchers, writes = 5, 60
	s := start(t, t.TempDir())
	var all []*watching
	for range watchers {
		all = append(all, s.watch(t, s.Client))
	}
	filler, missed := strings.Repeat("x", 200<<10), 0
	round := func(name string) time.Duration {
		var began sync.Map
		arrived := make([][]time.Duration, watchers)
		var hearing sync.WaitGroup
		for i, w := range all {
			hearing.Go(func() {
				for range writes {
					book, ok := w.next()
					at, known := began.Load(book)
					if !ok || !known {
						return
					}
					arrived[i] = append(arrived[i], time.Since(at.(time.Time)))
				}
			})
		}
		for n := range writes {
			book := fmt.Sprintf("%s-%d", name, n)
			began.Store(book, time.Now())
			s.createBook(t, book, filler)
		}
		hearing.Wait()
		var times []time.Duration
		for _, of := range arrived {
			times = append(times, of...)
		}
		missed += watchers*writes - len(times)
		slices.Sort(times)
		return part(times, 0.99)
	}
	round("warm")
	var ratios []float64
	for n := range *slowRounds {
		alone := func() time.Duration { return round(fmt.Sprint("alone-", n)) }
		beside := func() time.Duration {
			narrow := s.narrow(t)
			defer narrow.CloseIdleConnections()
			slow := s.watch(t, narrow)
			defer slow.close()
			return round(fmt.Sprint("beside-", n))
		}
		var without, with time.Duration
		if n%2 == 0 {
			without, with = alone(), beside()
		} else {
			with, without = beside(), alone()
		}
		ratios = append(ratios, with.Seconds()/without.Seconds())
		t.Logf("round %d: 99 %% of events within %v alone, %v beside one that does not read", n, without, with)
	}
	if missed > 0 {
		t.Errorf("%d events have not come", missed)
	}
	slices.Sort(ratios)
	drill.SlowClient.Count("rounds", len(ratios))
	drill.SlowClient.Count("events missed", missed)
	drill.SlowClient.Times("p99 of events beside it, times alone", ratios[len(ratios)/2])
}
