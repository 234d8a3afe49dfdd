package cacher_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// await waits until ok, or fails the test.
func await(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in vain: %s", what)
		}
	}
}

// watchers opens n watches and lets a goroutine read each, which counts what it gets.
type watchers struct {
	c   *cacher.Cacher
	wg  sync.WaitGroup
	mu  sync.Mutex
	got map[string]int // calls of Next that returned, by name
}

func (ws *watchers) open(t *testing.T, name, prefix string, where *storage.Where) {
	t.Helper()
	w, err := ws.c.Watch(context.Background(), prefix, storage.WatchOptions{After: ws.c.Stats().Revision, Where: where})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	ws.wg.Go(func() {
		for {
			if _, err := w.Next(context.Background()); err != nil {
				return
			}
			ws.mu.Lock()
			ws.got[name]++
			ws.mu.Unlock()
		}
	})
}

func (ws *watchers) count(name string) int {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	return ws.got[name]
}

// An event wakes the watchers that it concerns, and no others.
func TestOnlyThoseConcernedWake(t *testing.T) {
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	ws := &watchers{c: c, got: map[string]int{}}
	const each = 100
	for i := range each {
		ws.open(t, "other namespace", fmt.Sprintf("/pods/other%d/", i), nil)
		ws.open(t, "other value", "/pods/", part(0, fmt.Sprint("other", i)))
		ws.open(t, "other key", fmt.Sprintf("/pods/ns/a%d", i), nil)
	}
	ws.open(t, "all", "/pods/", nil)
	ws.open(t, "namespace", "/pods/ns/", nil)
	ws.open(t, "key", "/pods/ns/a", nil)
	ws.open(t, "key with the old value", "/pods/ns/a", part(0, "old"))
	ws.open(t, "new value", "/pods/", part(0, "new"))
	ws.open(t, "old value", "/pods/ns/", part(0, "old"))
	settle := func() {
		t.Helper()
		await(t, "everybody waits", func() bool { s := c.Stats(); return s.Watches == 3*each+6 && s.Waiting == s.Watches })
	}
	settle()
	made, err := source.Create(ctx, "/pods/ns/a", []byte("old/1"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Get(ctx, made.Key, storage.GetOptions{NotOlderThan: made.Revision}); err != nil {
		t.Fatal(err)
	}
	settle()
	update(t, source, made.Key, []byte("new/1"))
	if _, err := c.Get(ctx, made.Key, storage.GetOptions{}); err != nil {
		t.Fatal(err)
	}
	settle()
	for name, want := range map[string]int{
		"all": 2, "namespace": 2, "key": 2, "new value": 1, "old value": 2, "key with the old value": 2,
		"other namespace": 0, "other value": 0, "other key": 0,
	} {
		if got := ws.count(name); got != want {
			t.Errorf("%s: %d events, want %d", name, got, want)
		}
	}
}

// However many watch, an event wakes exactly those who see the object before it or after it. They
// watch a node, from and to which objects move, a label, a namespace, or a name.
func TestAnEventWakesThoseWhoSeeIt(t *testing.T) {
	const nodes, few = 1000, 20
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	ws := &watchers{c: c, got: map[string]int{}}
	for i := range nodes {
		ws.open(t, "node", "/pods/", part(0, fmt.Sprint("node", i)))
	}
	for i := range few {
		ws.open(t, "label", "/pods/", part(1, fmt.Sprint("label", i)))
		ws.open(t, "label in a namespace", "/pods/ns0/", part(1, fmt.Sprint("label", i)))
		ws.open(t, "namespace", fmt.Sprintf("/pods/ns%d/", i), nil)
		ws.open(t, "name", fmt.Sprintf("/pods/ns%d/a", i), nil)
	}
	waiting := func() bool { s := c.Stats(); return s.Watches == nodes+4*few && s.Waiting == s.Watches }
	await(t, "everybody waits", waiting)

	r := rand.New(rand.NewPCG(1, 2))
	var woken int64
	there := map[string][2]string{} // node and label of each key
	for range 200 {
		ns, name := r.IntN(2*few), string(rune('a'+r.IntN(3)))
		key := fmt.Sprintf("/pods/ns%d/%s", ns, name)
		was, had := there[key]
		now, has := [2]string{fmt.Sprint("node", r.IntN(2*nodes)), fmt.Sprint("label", r.IntN(2*few))}, true
		if had && r.IntN(2) == 0 {
			now[r.IntN(2)] = was[r.IntN(2)] // one of them stays, or nobody watches the value
		}
		var e storage.Entry
		var err error
		switch {
		case !had:
			e, err = source.Create(ctx, key, []byte(now[0]+"/"+now[1]))
		case r.IntN(4) == 0:
			has = false
			e, err = source.Delete(ctx, key, nil)
		case now == was:
			continue
		default:
			e = update(t, source, key, []byte(now[0]+"/"+now[1]))
		}
		if err != nil {
			t.Fatal(err)
		}
		sees := func(part int, watched string) bool { return had && was[part] == watched || has && now[part] == watched }
		for i := range nodes {
			if sees(0, fmt.Sprint("node", i)) {
				woken++
			}
		}
		for i := range few {
			if sees(1, fmt.Sprint("label", i)) {
				woken++
				if ns == 0 {
					woken++
				}
			}
			if ns == i {
				woken++
				if name == "a" {
					woken++
				}
			}
		}
		if there[key] = now; !has {
			delete(there, key)
		}
		if _, err := c.List(ctx, "/pods/none/", storage.ListOptions{Match: storage.NotOlderThan, Revision: e.Revision}); err != nil {
			t.Fatal(err)
		}
		await(t, "everybody waits again", waiting)
		if got := c.Stats().Woken; got != woken {
			t.Fatalf("%s, which was %v (%v), is %v (%v): %d watchers were woken more than see it", key, was, had, now, has, got-woken)
		}
	}
	if all := ws.count("node") + ws.count("label") + ws.count("label in a namespace") + ws.count("namespace") + ws.count("name"); int64(all) != woken || all < 200 {
		t.Errorf("%d events came, %d watchers were woken", all, woken)
	}
}

// A watcher that waits is never behind, however much happens that does not concern it, also when it
// wants no bookmarks.
func TestWhoWaitsDoesNotFallOff(t *testing.T) {
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source, LogBytes: 20 << 10})
	ctx := context.Background()
	ws := &watchers{c: c, got: map[string]int{}}
	ws.open(t, "quiet", "/pods/quiet/", nil)
	ws.open(t, "picky", "/pods/", part(0, "rare"))
	await(t, "both wait", func() bool { return c.Stats().Waiting == 2 })
	if _, err := source.Create(ctx, "/pods/busy/a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		update(t, source, "/pods/busy/a", fmt.Appendf(make([]byte, 1<<10), "%d", i))
	}
	if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
		t.Fatal(err)
	}
	if s := c.Stats(); s.Early == 0 || s.Waiting != 2 {
		t.Fatalf("the log is not full, or somebody does not wait: %+v", s)
	}
	if _, err := source.Create(ctx, "/pods/quiet/a", []byte("rare/1")); err != nil {
		t.Fatal(err)
	}
	await(t, "both get their event", func() bool { return ws.count("quiet") == 1 && ws.count("picky") == 1 })
}

// cpu is the processor time that this process has taken.
func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Thousands of watchers that have stopped reading cost those that read nothing. The same work is
// done beside a few and beside many, in turns, and measured by the kernel's accounting.
func TestStalledWatchersCostNothing(t *testing.T) {
	const few, many, events, rounds = 4, 4000, 4000, 4
	source := memory.New(memory.Config{ProgressInterval: quick})
	c := start(t, cacher.Config{Source: source})
	ctx := context.Background()
	if _, err := source.Create(ctx, "/pods/ns/a", []byte("x")); err != nil {
		t.Fatal(err)
	}
	reader := func() func() {
		w, err := c.Watch(ctx, "/pods/", storage.WatchOptions{After: c.Stats().Revision})
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			defer w.Close()
			for n := 0; n < events; {
				got, err := w.Next(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				n += len(got)
			}
		}
	}
	work := func() time.Duration {
		if _, err := c.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		begin := cpu(t)
		for range 10 {
			wg.Go(reader())
		}
		for i := range events {
			update(t, source, "/pods/ns/a", fmt.Appendf(make([]byte, 1000), "%d", i))
		}
		wg.Wait()
		return cpu(t) - begin
	}
	beside := func(stalled int) time.Duration {
		for i := range stalled {
			prefix, where := "/pods/", (*storage.Where)(nil)
			switch i % 4 {
			case 0:
				prefix = fmt.Sprintf("/pods/other%d/", i)
			case 1:
				where = part(0, fmt.Sprint("other", i))
			}
			w, err := c.Watch(ctx, prefix, storage.WatchOptions{After: c.Stats().Revision, Where: where})
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close() // nobody calls Next
		}
		return work()
	}
	beside(few)
	alone, crowded := time.Duration(1<<62), time.Duration(1<<62)
	for n := 0; n < rounds || n < 10*rounds && crowded > 3*alone; n++ { // more, where the machine did something else in all of them
		alone, crowded = min(alone, beside(few)), min(crowded, beside(many))
	}
	t.Logf("%d events for 10 readers: %v of CPU beside %d stalled watchers, %v beside %d (%.2f times)",
		events, alone, few, crowded, many, float64(crowded)/float64(alone))
	if crowded > 3*alone { // to look at each of them would be five times as much, to wake them a thousand
		t.Errorf("%v of CPU beside %d stalled watchers, %v beside %d", alone, few, crowded, many)
	}
	if n := c.Stats().Watches; n != 0 {
		t.Errorf("%d watches are still open", n)
	}
}
