package cacher_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/etcd3"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestHistory writes at random, and starts a second cache: from each revision on it tells the same
// as the cache that has seen everything.
func TestHistory(t *testing.T) {
	t.Parallel()
	t.Run("memory", func(t *testing.T) {
		db := memory.NewDatabase()
		testHistory(t, memory.New(memory.Config{Database: db, Root: "/registry", ProgressInterval: quick}), func(revision int64) {
			if err := db.Compact(revision); err != nil {
				t.Fatal(err)
			}
		})
	})
	t.Run("etcd", func(t *testing.T) {
		client := etcd3test.Start(t)
		testHistory(t, etcd3.New(client, etcd3.Config{Root: "/registry"}), func(revision int64) {
			if _, err := client.Compact(context.Background(), revision); err != nil {
				t.Fatal(err)
			}
		})
	})
}

func testHistory(t *testing.T, source storage.Interface, compact func(int64)) {
	witness := start(t, cacher.Config{Source: source})
	begin := revisionOf(t, witness)
	scribble(t, witness, 300)
	last := revisionOf(t, witness)
	told(t, witness, begin, last) // a watch that is behind what is compacted would begin anew
	compacted := begin + (last-begin)/3
	compact(compacted)
	after := start(t, cacher.Config{Source: source})
	for revision := begin; revision <= last; revision++ {
		want := told(t, witness, revision, last)
		if revision < compacted {
			w, err := after.Watch(t.Context(), "/pods/", storage.WatchOptions{After: revision})
			if storage.CodeOf(err) != storage.CodeCompacted {
				t.Fatalf("a watch from %d, which is compacted: %v, %v", revision, w, err)
			}
			continue
		}
		if diff := cmp.Diff(want, told(t, after, revision, last)); diff != "" {
			t.Fatalf("after revision %d of %d, %d of which are compacted (-want +got)\n%s", revision, last, compacted, diff)
		}
	}
}

// TestHistoryIsReadBehindTheFirstState: what reads the history looks at what there is, however long
// that takes to be there.
func TestHistoryIsReadBehindTheFirstState(t *testing.T) {
	var asked atomic.Int64
	c := start(t, cacher.Config{Source: memory.New(memory.Config{Root: "/registry", ProgressInterval: quick}), Now: func() time.Time {
		if asked.Add(1) == 1 {
			time.Sleep(50 * time.Millisecond)
		}
		return time.Now()
	}})
	scribble(t, c, 10)
}

func revisionOf(t *testing.T, s storage.Interface) int64 {
	t.Helper()
	revision, err := s.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return revision
}

// scribble makes changes at random, of which some lie elsewhere.
func scribble(t *testing.T, s storage.Interface, changes int) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 5))
	there := map[string]bool{}
	for i := range changes {
		key := fmt.Sprintf("/%s/ns/%d", []string{"pods", "pods", "nodes"}[random.IntN(3)], random.IntN(8))
		value := fmt.Appendf(nil, "value %d", i)
		var err error
		gone := there[key] && random.IntN(4) == 0
		switch {
		case gone:
			_, err = s.Delete(t.Context(), key, nil)
		case there[key]:
			update(t, s, key, value)
		default:
			_, err = s.Create(t.Context(), key, value)
		}
		if err != nil {
			t.Fatal(err)
		}
		there[key] = !gone
	}
}

// told is what a watch after a revision says, up to another one.
func told(t *testing.T, s storage.Interface, after, last int64) (events []storage.Event) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	w, err := s.Watch(ctx, "/pods/", storage.WatchOptions{After: after, Prev: true, Progress: true})
	if err != nil {
		t.Fatalf("after %d: %v", after, err)
	}
	defer w.Close()
	for reached := after; reached < last; {
		more, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("after %d: %v", after, err)
		}
		for _, ev := range more {
			reached = ev.Entry.Revision
			if ev.Type != storage.Bookmark {
				events = append(events, ev)
			}
		}
	}
	return events
}

// TestHistoryIsBounded: of a long history, what fits into the log is kept, and the rest is
// compacted for whoever asks.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	source := memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", ProgressInterval: quick})
	first, err := source.Create(t.Context(), "/pods/ns/a", make([]byte, 1000))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		update(t, source, "/pods/ns/a", fmt.Appendf(make([]byte, 1000), "%d", i))
	}
	last := revisionOf(t, source)
	c := start(t, cacher.Config{Source: source, LogBytes: 40 << 10})
	if w, err := c.Watch(t.Context(), "/pods/", storage.WatchOptions{After: first.Revision}); storage.CodeOf(err) != storage.CodeCompacted {
		t.Errorf("a watch from the beginning: %v, %v", w, err)
	}
	if got := len(told(t, c, last-5, last)); got != 5 {
		t.Errorf("%d events, want 5", got)
	}
	if stats := c.Stats(); stats.EventBytes > 10<<10 || stats.Early != 0 {
		t.Errorf("%+v", stats)
	}
}

// TestHistoryIsReadInSteps: what a source sends at once is in memory, whatever the log keeps of it.
// So a cache does not ask for a history that is far larger than its log.
func TestHistoryIsReadInSteps(t *testing.T) {
	t.Parallel()
	const changes, size = 1000, 20 << 10
	for name, key := range map[string]func(int) string{
		"one object changes": func(int) string { return "/pods/ns/a" },
		"many objects come":  func(i int) string { return fmt.Sprintf("/pods/ns/%d", i) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", ProgressInterval: quick})
			for i := range changes {
				value := append(make([]byte, size), byte(i), byte(i>>8))
				if i == 0 || key(i) != key(0) {
					if _, err := db.Create(t.Context(), key(i), value); err != nil {
						t.Fatal(err)
					}
				} else {
					update(t, db, key(i), value)
				}
			}
			last := revisionOf(t, db)
			source := &weighing{Interface: db}
			c := start(t, cacher.Config{Source: source, LogBytes: 1 << 20})
			if got := len(told(t, c, last-5, last)); got != 5 {
				t.Errorf("%d events, want 5", got)
			}
			if sent := source.sent.Load(); sent > changes*size/10 {
				t.Errorf("%d KB of a history of %d were read", sent>>10, changes*size>>10)
			}
		})
	}
}

// weighing counts the bytes of what its watches tell.
type weighing struct {
	storage.Interface
	sent atomic.Int64
}

func (s *weighing) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	w, err := s.Interface.Watch(ctx, selection, opts)
	return weighed{w, s}, err
}

type weighed struct {
	storage.Watcher
	by *weighing
}

func (w weighed) Next(ctx context.Context) ([]storage.Event, error) {
	events, err := w.Watcher.Next(ctx)
	for _, ev := range events {
		w.by.sent.Add(int64(len(ev.Entry.Value) + len(ev.Prev.Value)))
	}
	return events, err
}
