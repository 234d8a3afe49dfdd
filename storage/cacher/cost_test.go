package cacher_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

var costEntries = flag.Int("cost", 5000, "how many entries TestCost puts into a cache")

// entrySize is what a pod of a controller is, stored.
const entrySize = 3600

// budgetEntries is from how many entries on a cache has to keep to its budget. With fewer, what
// etcd does in the same process at the same time is more than what is measured.
const budgetEntries = 100_000

// TestCost measures what a cache costs: memory for each entry, time to fill it from etcd, and the
// check. With -cost=100000 its figures are those of the README, and the budgets hold; etcd runs in
// the same process, and its share is in the figures.
func TestCost(t *testing.T) {
	ctx := context.Background()
	server, err := embedded.Start(ctx, embedded.Config{Dir: t.TempDir(), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	source := etcd3.New(server.Client(), etcd3.Config{Root: "/registry"})
	fillSource(t, source, *costEntries)

	runtime.GC()
	before, resident := heap(), rss(t)
	begin, used := time.Now(), cpu(t)
	c := start(t, cacher.Config{Source: source})
	wall, used := time.Since(begin), cpu(t)-used
	// Whoever watches from before the start waits until the history has been read.
	if w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: 1}); err == nil {
		w.Close()
	}
	grown := rss(t)
	each := float64(heap()-before) / float64(*costEntries)
	t.Logf("%d entries of %d bytes: filled in %v with %v of CPU, %.0f bytes on the heap each; resident memory grew from %d to %d MiB",
		*costEntries, entrySize, wall.Round(time.Millisecond), used.Round(time.Millisecond), each, resident>>20, grown>>20)
	// A cache that keeps an entry twice is found with any number.
	most := 2.0 * entrySize
	if *costEntries >= budgetEntries {
		most = 1.25*entrySize + 300
	}
	if each > most {
		t.Errorf("%.0f bytes for each entry, at most %.0f are allowed", each, most)
	}

	used = cpu(t)
	if err := c.Check(ctx); err != nil {
		t.Fatal(err)
	}
	used = cpu(t) - used
	t.Logf("a check: %v, %v of CPU, %.3f %% of a processor when it runs every five minutes", c.Stats().LastCheck.Round(time.Millisecond), used,
		100*used.Seconds()/300)
	if s := c.Stats(); s.Entries != *costEntries || s.Mistrusted != 0 {
		t.Errorf("%+v", s)
	}
	if *costEntries >= budgetEntries && used.Seconds() > 3*float64(*costEntries)/budgetEntries {
		t.Errorf("a check takes %v of CPU: more than a hundredth of the time", used)
	}
	runtime.KeepAlive(c)
}

// fillSource makes n entries that can't be compressed, a hundred in a transaction.
func fillSource(t *testing.T, source storage.Interface, n int) {
	t.Helper()
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(rand.Uint32())
	}
	value := func(i int) []byte {
		at := i * 61 % (len(noise) - entrySize)
		return append([]byte(nil), noise[at:at+entrySize]...)
	}
	key := func(i int) string { return fmt.Sprintf("/pods/namespace-%04d/a-pod-of-a-replica-set-%06d", i%1000, i) }
	for i := 0; i < n; i += 100 {
		var with []storage.Op
		for j := i + 1; j < min(i+100, n); j++ {
			with = append(with, storage.Op{Key: key(j), Value: value(j)})
		}
		if _, err := source.Create(context.Background(), key(i), value(i), with...); err != nil {
			t.Fatal(err)
		}
	}
}

// heap is how many bytes live on the heap.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // what was freed by finalizers
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// rss is the resident memory of the process, without the files that are mapped into it, as etcd's
// database is.
func rss(t *testing.T) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc here")
	}
	_, rest, _ := strings.Cut(string(data), "RssAnon:")
	var kib int
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		t.Skipf("no RssAnon: %v", err)
	}
	return kib << 10
}
