package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

var slowRounds = flag.Int("slow-rounds", 1, "how many rounds TestSlowClient has")

// TestSlowClient measures how late events come to watchers, with and without one beside them that
// does not read, in turn. Before each turn there is more than the connection of that one holds, so
// that it has come to a stop. The log and the scorecard have the proportion; there is no bound
// here, since machines are busy.
func TestSlowClient(t *testing.T) {
	const watchers, fillers, writes = 5, 30, 60
	s := start(t, t.TempDir())
	var all []*watching
	for range watchers {
		all = append(all, s.watch(t, s.Client))
	}
	missed := 0
	send := func(name string, n int, filler string) (late []time.Duration) {
		var began sync.Map
		arrived := make([][]time.Duration, watchers)
		var hearing sync.WaitGroup
		for i, w := range all {
			hearing.Go(func() {
				for range n {
					book, ok := w.next()
					at, known := began.Load(book)
					if !ok || !known {
						return
					}
					arrived[i] = append(arrived[i], time.Since(at.(time.Time)))
				}
			})
		}
		for i := range n {
			book := fmt.Sprintf("%s-%d", name, i)
			began.Store(book, time.Now())
			s.createBook(t, book, filler)
		}
		hearing.Wait()
		for _, of := range arrived {
			late = append(late, of...)
		}
		missed += watchers*n - len(late)
		return late
	}
	turn := func(name string) []time.Duration {
		send(name+"-before", fillers, strings.Repeat("x", 200<<10))
		return send(name, writes, strings.Repeat("x", 50<<10))
	}
	turn("warm")
	var alone, beside [][]time.Duration
	for n := range *slowRounds {
		without := func() { alone = append(alone, turn(fmt.Sprint("alone-", n))) }
		with := func() {
			narrow := s.narrow(t)
			defer narrow.CloseIdleConnections()
			slow := s.watch(t, narrow)
			defer slow.close()
			beside = append(beside, turn(fmt.Sprint("beside-", n)))
		}
		if n%2 == 0 {
			without()
			with()
		} else {
			with()
			without()
		}
	}
	if missed > 0 {
		t.Errorf("%d events have not come", missed)
	}
	every := make([]int, *slowRounds)
	for i := range every {
		every[i] = i
	}
	ratio := tailOf(beside, every).Seconds() / tailOf(alone, every).Seconds()
	least, most := likely(alone, beside)
	t.Logf("99 %% of events within %v alone, %v beside one that does not read: %.2f times, from %.2f to %.2f with 90 %% probability",
		tailOf(alone, every), tailOf(beside, every), ratio, least, most)
	drill.SlowClient.Count("rounds", *slowRounds)
	drill.SlowClient.Count("events missed", missed)
	drill.SlowClient.Times("p99 of events beside it, times alone", ratio)
	drill.SlowClient.Times("by chance from", least)
	drill.SlowClient.Times("by chance to", most)
}

// tailOf is the 99th percentile of some rounds together.
func tailOf(rounds [][]time.Duration, some []int) time.Duration {
	var times []time.Duration
	for _, i := range some {
		times = append(times, rounds[i]...)
	}
	slices.Sort(times)
	return part(times, 0.99)
}

// likely is within which bounds the proportion of the tails is in nine of ten draws of the rounds.
// Events of a round are late together, so rounds are drawn and not events.
func likely(alone, beside [][]time.Duration) (least, most float64) {
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() []int {
		some := make([]int, len(alone))
		for i := range some {
			some[i] = random.IntN(len(alone))
		}
		return some
	}
	ratios := make([]float64, 200)
	for i := range ratios {
		some := draw()
		ratios[i] = tailOf(beside, some).Seconds() / tailOf(alone, some).Seconds()
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/20], ratios[len(ratios)-1-len(ratios)/20]
}
