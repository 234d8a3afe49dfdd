package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// event is a change of a book, as a watcher or as etcd tells of it.
type event struct {
	book     string
	revision int64
}

// watcher follows the books through the server. When its stream ends it goes on from where it was,
// and counts that.
type watcher struct {
	mu     sync.Mutex // guards the fields below
	events []event
	times  []time.Time
	drops  int
	lost   error // it can't go on
}

// follow starts a watcher after a revision; it ends with the test.
func follow(t *testing.T, s *server, after int64) *watcher {
	t.Helper()
	w := &watcher{}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			err := w.stream(ctx, s, &after)
			w.mu.Lock()
			if ctx.Err() == nil {
				w.drops++
				w.lost = err
			}
			w.mu.Unlock()
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		cancel()
		running.Wait()
	})
	return w
}

// stream reads one watch to its end. An error means that another one would miss something.
func (w *watcher) stream(ctx context.Context, s *server, after *int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+books+"?watch=true&resourceVersion="+strconv.FormatInt(*after, 10), nil)
	if err != nil {
		return err
	}
	resp, err := s.Client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var e struct {
			Type   string
			Object json.RawMessage
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		object := parse(e.Object)
		if e.Type == "ERROR" {
			return errors.New(object.Message)
		}
		*after = object.revision
		w.mu.Lock()
		w.events = append(w.events, event{object.Metadata.Name, object.revision})
		w.times = append(w.times, time.Now())
		w.mu.Unlock()
	}
}

// seen returns what the watcher has seen, once that is everything up to a revision.
func (w *watcher) seen(t *testing.T, revision int64) []event {
	t.Helper()
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		w.mu.Lock()
		events, lost := w.events, w.lost
		w.mu.Unlock()
		if lost != nil {
			t.Fatalf("a watch ended: %v", lost)
		}
		if n := len(events); n > 0 && events[n-1].revision >= revision {
			return events
		}
		if time.Since(begin) > 3*time.Minute {
			t.Fatalf("a watch has seen %d events and is not at revision %d after 3 minutes", len(events), revision)
		}
	}
}

// forgetDrops returns how often a stream has ended since it was last asked.
func (w *watcher) forgetDrops() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	drops := w.drops
	w.drops = 0
	return drops
}

// gap is the longest time without an event after begin.
func (w *watcher) gap(begin time.Time) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	longest, last := time.Duration(0), begin
	for _, at := range w.times {
		if at.After(begin) {
			longest, last = max(longest, at.Sub(last)), at
		}
	}
	return longest
}
