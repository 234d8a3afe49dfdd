package e2e

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

var loadFor = flag.Duration("load", 2*time.Second, "how long TestLoad loads the server")

// TestLoad has 200 writes, 500 reads, 10 lists of the newest state a second, and 100 watches, for a
// while, on objects that are there before. Each request has its time, whatever those before it
// took. Nothing fails, and nothing is left behind: memory, goroutines, descriptors. The log has the
// times; there is no bound here, since machines are busy.
func TestLoad(t *testing.T) {
	const watches = 100
	s := start(t, t.TempDir())
	fill(t, s, *objects)
	l := &load{server: s, took: map[string][]time.Duration{}, longest: map[string]span{}}
	var watching, caughtUp sync.WaitGroup
	for range watches {
		caughtUp.Add(1)
		watching.Go(func() { l.watch(caughtUp.Done) })
	}
	caughtUp.Wait() // the objects that are there are sent to all: that is no steady pace
	l.began = time.Now()
	l.until = l.began.Add(*loadFor)
	l.pace("writes", 200, l.write)
	l.pace("reads", 500, func() error { return l.expect(http.MethodGet, books+"/"+l.any(), nil) })
	l.pace("newest", 10, func() error { return l.expect(http.MethodGet, books+"?limit=1", nil) })
	l.pace("all", 0.2, func() error { return s.listAll() })
	time.Sleep(*loadFor / 5) // until everything has its size
	warm := l.size(t)
	windows := l.leastMemory(t, l.until.Add(-*loadFor/60))
	after := l.size(t)
	l.running.Wait()
	l.report(t)
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Errorf("ended with %v:\n%s", err, s.output)
	}
	watching.Wait()
	t.Logf("from %+v to %+v; %d events; memory from %v to %v", warm, after, l.events, windows[0], windows[len(windows)-1])

	minutes := int(loadFor.Minutes())
	for _, row := range []drill.Row{drill.Latency, drill.Soak, drill.CacheIsStore} {
		row.Count("minutes", minutes)
	}
	drill.CacheIsStore.Count("mismatches of digests", after.mismatches)
	drill.Soak.Count("errors", l.failed)
	drill.Soak.Count("goroutines more", max(0, after.goroutines-warm.goroutines))
	drill.Soak.Count("descriptors more", max(0, after.descriptors-warm.descriptors))
	// For ten minutes the database grows by the history that it keeps.
	if *loadFor/5 >= 10*time.Minute {
		t.Logf("the least memory of each minute: %v", windows)
		drill.Soak.Times("memory grown, % an hour", max(0, grown(windows)*100))
	}
	if after.mismatches > 0 {
		t.Errorf("the cache differed from the store %d times", after.mismatches)
	}
}

// load is what goes on, at a steady pace.
type load struct {
	server  *server
	began   time.Time
	until   time.Time
	running sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	took    map[string][]time.Duration
	longest map[string]span
	failed  int
	errors  []string // of the first few
	events  int
}

// span is when something began, and how long it took.
type span struct {
	began time.Time
	took  time.Duration
}

// pace begins something so many times a second, whether or not the last has ended, up to a bound.
func (l *load) pace(name string, persecond float64, do func() error) {
	places := make(chan struct{}, 64)
	l.running.Go(func() {
		ticker := time.NewTicker(time.Duration(float64(time.Second) / persecond))
		defer ticker.Stop()
		for at := range ticker.C {
			if at.After(l.until) {
				return
			}
			places <- struct{}{}
			l.running.Go(func() {
				defer func() { <-places }()
				began := time.Now()
				err := do()
				l.ended(name, began, err)
			})
		}
	})
}

func (l *load) ended(name string, began time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	took := time.Since(began)
	if took > l.longest[name].took {
		l.longest[name] = span{began, took}
	}
	l.took[name] = append(l.took[name], took)
	if err == nil {
		return
	}
	if l.failed++; l.failed <= 5 {
		l.errors = append(l.errors, name+": "+err.Error())
	}
}

func (l *load) any() string { return fmt.Sprintf("book-%d", rand.IntN(*objects)) }

// write changes a book.
func (l *load) write() error {
	return l.expect(http.MethodPatch, books+"/"+l.any(), fmt.Appendf(nil, `{"spec":{"copies":%d}}`, rand.IntN(1000)))
}

// expect sends a request that has to go well.
func (l *load) expect(method, path string, body []byte) error {
	code, answer, err := l.server.do(method, path, "application/merge-patch+json", body)
	if err == nil && code != http.StatusOK {
		err = fmt.Errorf("%d %.200s", code, answer)
	}
	return err
}

// watch follows the books until the server ends, and counts. It calls caughtUp once, when it has
// the objects that were there before, or failed.
func (l *load) watch(caughtUp func()) {
	caughtUp = sync.OnceFunc(caughtUp)
	defer caughtUp()
	resp, err := l.server.Client.Get(l.server.URL + books + "?watch=1&timeoutSeconds=86400")
	if err != nil {
		l.ended("watch", time.Now(), err)
		return
	}
	defer resp.Body.Close()
	lines, n := bufio.NewReader(resp.Body), 0
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		if strings.Contains(string(line[:min(len(line), 40)]), "ERROR") {
			l.ended("watch", time.Now(), fmt.Errorf("%.200s", line))
		}
		if n++; n == *objects {
			caughtUp()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events += n
}

// report says how long things took, and notes it.
func (l *load) report(t *testing.T) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, took := range l.took {
		slices.Sort(took)
		longest := l.longest[name]
		t.Logf("%s: %d, median %v, 99 %% within %v, 99.9 %% within %v, the longest %v, which began after %v", name, len(took),
			part(took, 0.5), part(took, 0.99), part(took, 0.999), longest.took, longest.began.Sub(l.began).Round(time.Millisecond))
	}
	for _, text := range l.errors {
		t.Error(text)
	}
	if l.failed > 0 {
		t.Logf("%d errors; the server said\n%s", l.failed, l.server.output)
	}
	drill.Latency.Count("errors", l.failed)
	drill.Latency.Count("writes", len(l.took["writes"]))
	drill.Latency.Count("reads", len(l.took["reads"]))
	drill.Latency.Worst("99 % of writes", part(l.took["writes"], 0.99))
	drill.Latency.Worst("99 % of reads", part(l.took["reads"], 0.99))
	if all := l.took["all"]; len(all) > 0 {
		drill.Latency.Worst("a list of all", part(all, 1))
	}
	drill.FreshLists.Count("lists", len(l.took["newest"]))
	drill.FreshLists.Worst("99.9 % of lists", part(l.took["newest"], 0.999))
	drill.FreshLists.Worst("the longest list", part(l.took["newest"], 1))
}

// part is the time within which such a part of sorted times is.
func part(sorted []time.Duration, p float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(p*float64(len(sorted))))]
}

// size is what a server has of things that may leak.
type size struct {
	goroutines, descriptors, mismatches int
}

var metric = regexp.MustCompile(`(?m)^(go_goroutines|process_open_fds|typeplane_watch_cache_digest_mismatches_total)(?:\{[^}]*\})? ([0-9.e+]+)$`)

// size asks the server.
func (l *load) size(t *testing.T) (now size) {
	t.Helper()
	code, page := l.server.get("/metrics")
	if code != http.StatusOK {
		t.Fatalf("metrics: %d", code)
	}
	for _, m := range metric.FindAllSubmatch(page, -1) {
		value, err := strconv.ParseFloat(string(m[2]), 64)
		if err != nil {
			t.Fatal(err)
		}
		switch string(m[1]) {
		case "go_goroutines":
			now.goroutines = int(value)
		case "process_open_fds":
			now.descriptors = int(value)
		default:
			now.mismatches += int(value)
		}
	}
	if now.goroutines == 0 || now.descriptors == 0 {
		t.Fatalf("the page of metrics has no goroutines or descriptors")
	}
	return now
}
