package etcd3_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/metadata"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// streams notes on which streams watches are opened, and on which ones etcd is asked for progress.
type streams struct {
	clientv3.Watcher
	mu            sync.Mutex
	opened, asked []string
}

func streamOf(ctx context.Context) string {
	md, _ := metadata.FromOutgoingContext(ctx)
	return md.Get("typeplane-watch")[0]
}

func (s *streams) Watch(ctx context.Context, key string, opts ...clientv3.OpOption) clientv3.WatchChan {
	events := s.Watcher.Watch(ctx, key, opts...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = append(s.opened, streamOf(ctx)) // now that there is one to ask on
	return events
}

func (s *streams) RequestProgress(ctx context.Context) error {
	s.mu.Lock()
	s.asked = append(s.asked, streamOf(ctx))
	s.mu.Unlock()
	return s.Watcher.RequestProgress(ctx)
}

// openedBy returns the stream of the watch that open opens.
func (s *streams) openedBy(t *testing.T, open func()) string {
	t.Helper()
	s.mu.Lock()
	before := len(s.opened)
	s.mu.Unlock()
	open()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		s.mu.Lock()
		now := slices.Clone(s.opened)
		s.mu.Unlock()
		if len(now) > before {
			return now[before]
		}
		if time.Now().After(end) {
			t.Fatal("no watch was opened")
		}
	}
}

// A request for progress goes to every watch that wants bookmarks, and to no other. Such a watch
// has a stream of its own, as one that is behind would hold up the answers for all.
func TestRequestsForProgress(t *testing.T) {
	real := server.Client()
	seen := &streams{Watcher: real.Watcher}
	client := clientv3.NewCtxClient(t.Context())
	client.KV, client.Watcher = real.KV, seen
	s := etcd3.New(client, etcd3.Config{Root: freshRoot()})
	revision, err := s.Revision(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var watches []storage.Watcher
	watch := func(progress bool) string {
		t.Helper()
		return seen.openedBy(t, func() {
			w, err := s.Watch(t.Context(), "/pods/", storage.WatchOptions{After: revision, Progress: progress})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(w.Close)
			watches = append(watches, w)
		})
	}
	one, other, two := watch(true), watch(false), watch(true)
	if one == two || one == other || two == other {
		t.Errorf("streams are shared: %s, %s, %s", one, other, two)
	}
	ask := func() []string {
		t.Helper()
		seen.mu.Lock()
		seen.asked = nil
		seen.mu.Unlock()
		if err := s.RequestProgress(t.Context()); err != nil {
			t.Fatal(err)
		}
		slices.Sort(seen.asked)
		return seen.asked
	}
	want := []string{one, two}
	slices.Sort(want)
	if got := ask(); !slices.Equal(got, want) {
		t.Errorf("asked on the streams %v, want %v", got, want)
	}
	watches[0].Close()
	if got := ask(); !slices.Equal(got, []string{two}) {
		t.Errorf("after one was closed: asked on the streams %v, want %v", got, two)
	}
}
