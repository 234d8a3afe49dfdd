package etcd3_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcd3test"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

func TestDialRefusals(t *testing.T) {
	for _, tc := range []struct {
		config etcd3.DialConfig
		want   string
	}{
		{etcd3.DialConfig{}, "no endpoints"},
		{etcd3.DialConfig{Endpoints: []string{"127.0.0.1:2379"}}, "want a URL like"},
		{etcd3.DialConfig{Endpoints: []string{"ftp://x"}}, "want a URL like"},
		{etcd3.DialConfig{Endpoints: []string{"https://a:1", "http://b:1"}}, "the same scheme"},
		{etcd3.DialConfig{Endpoints: []string{"https://a:1"}, CertFile: "x"}, "both the certificate file and the key file"},
		{etcd3.DialConfig{Endpoints: []string{"http://a:1"}, CAFile: "x"}, "only https"},
		{etcd3.DialConfig{Endpoints: []string{"https://a:1"}, CAFile: "/does/not/exist"}, "/does/not/exist"},
		{etcd3.DialConfig{Endpoints: []string{"http://127.0.0.1:1"}, Timeout: 300 * time.Millisecond}, "connect to http://127.0.0.1:1"},
	} {
		client, err := etcd3.Dial(context.Background(), tc.config)
		if err == nil {
			client.Close()
			t.Errorf("%+v: connected", tc.config)
		} else if !strings.Contains(err.Error(), tc.want) {
			t.Errorf("error %q does not say %q", err, tc.want)
		}
	}
}

func TestReady(t *testing.T) {
	if err := etcd3.Ready(context.Background(), server.Client(), time.Minute); err != nil {
		t.Error(err)
	}
	s, err := etcd3test.Open(embedded.Config{Dir: t.TempDir(), ProgressInterval: progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	client, err := etcd3.Dial(context.Background(), etcd3.DialConfig{Endpoints: []string{s.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	s.Close()
	begin := time.Now()
	if err := etcd3.Ready(context.Background(), client, 200*time.Millisecond); storage.CodeOf(err) != storage.CodeUnavailable {
		t.Errorf("a stopped etcd is ready: %v", err)
	}
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("to say so took %v", took)
	}
}

func TestSlowReaderIsBoundedAndMissesNothing(t *testing.T) {
	s := etcd3.New(server.Client(), etcd3.Config{Root: freshRoot()})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	first, err := s.Create(ctx, "/pods/a", []byte("first"))
	if err != nil {
		t.Fatal(err)
	}
	w, err := s.Watch(ctx, "/pods/", storage.WatchOptions{After: first.Revision - 1, Prev: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	const n = 40
	for i := range n {
		value := make([]byte, 512<<10)
		copy(value, fmt.Sprintf("%d.", i))
		if _, err := s.GuaranteedUpdate(ctx, "/pods/a", func(storage.Entry) ([]byte, []storage.Op, error) { return value, nil, nil }); err != nil {
			t.Fatal(err)
		}
	}
	for begin := time.Now(); !etcd3.Paused(w); time.Sleep(10 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatal("all of 40 MiB is pending for a reader that does not read")
		}
	}
	last := first
	for seen := 0; seen <= n; {
		events, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("after %d events: %v", seen, err)
		}
		for _, ev := range events {
			if seen == 0 && ev.Type != storage.Created || seen > 0 && (ev.Prev.Revision != last.Revision || !strings.HasPrefix(string(ev.Entry.Value), fmt.Sprintf("%d.", seen-1))) {
				t.Fatalf("event %d is at revision %d after %d, and the one before was at %d", seen, ev.Entry.Revision, ev.Prev.Revision, last.Revision)
			}
			last = ev.Entry
			seen++
		}
	}
}

func TestNoSpace(t *testing.T) {
	s, err := etcd3test.Open(embedded.Config{Dir: t.TempDir(), Quota: 4 << 20, ProgressInterval: progress, NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	st, ctx := etcd3.New(s.Client(), etcd3.Config{Root: "/registry"}), context.Background()
	written := map[string]bool{}
	refused := 0
	for i := 0; refused < 3 && i < 1000; i++ {
		key := fmt.Sprintf("/pods/%d", i)
		_, err := st.Create(ctx, key, make([]byte, 256<<10))
		switch storage.CodeOf(err) {
		case storage.CodeNoSpace:
			refused++
			if !strings.Contains(err.Error(), "space quota") {
				t.Errorf("error does not say why: %v", err)
			}
		case storage.CodeUnknown:
			refused++
			delete(written, key)
			continue
		default:
			if err != nil {
				t.Fatal(err)
			}
			written[key] = true
		}
	}
	if refused < 3 || len(written) == 0 {
		t.Fatalf("%d writes were refused after %d", refused, len(written))
	}
	page, err := st.List(ctx, "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range page.Entries {
		if written[e.Key] {
			found++
		}
	}
	if found != len(written) {
		t.Errorf("%d of %d acknowledged entries are there", found, len(written))
	}
	for key := range written {
		if _, err := st.Delete(ctx, key, nil); err != nil {
			t.Errorf("delete %s: %v", key, err)
		}
		break
	}
}

// TestOutcomesAreHonest stops and starts etcd under writers: what was acknowledged is there, what
// is said not to have happened is not, and the rest is said to be unknown.
func TestOutcomesAreHonest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	start := func() *etcd3test.Server {
		s, err := etcd3test.Open(embedded.Config{Dir: dir, ProgressInterval: progress})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start()
	client, err := etcd3.Dial(context.Background(), etcd3.DialConfig{Endpoints: []string{s.URL()}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	st := etcd3.New(client, etcd3.Config{Root: "/registry"})

	var mu sync.Mutex
	outcome := map[string]error{}
	stop := make(chan struct{})
	var acks atomic.Int64
	var wg sync.WaitGroup
	for n := range 8 {
		// Some ask for longer than etcd is away, others, where the machine is slow, for less than a
		// write takes.
		patience := 300 * time.Millisecond
		if n%2 == 0 {
			patience = 10 * time.Second
		}
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				key := fmt.Sprintf("/pods/%d-%d", n, i)
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				_, err := st.Create(ctx, key, []byte("x"))
				cancel()
				if err == nil {
					acks.Add(1)
				}
				mu.Lock()
				outcome[key] = err
				mu.Unlock()
			}
		})
	}
	// work returns when writes have been acknowledged again, and a little later, in the midst of
	// others.
	work := func() {
		before := acks.Load()
		for begin := time.Now(); acks.Load() == before && time.Since(begin) < 20*time.Second; {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(100 * time.Millisecond)
	}
	for range 3 {
		work()
		s.Close()
		time.Sleep(50 * time.Millisecond)
		s = start()
	}
	defer func() { s.Close() }()
	work()
	close(stop)
	wg.Wait()

	there := map[string]bool{}
	page, err := etcd3.New(s.Client(), etcd3.Config{Root: "/registry"}).List(context.Background(), "/pods/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		there[e.Key] = true
	}
	acked, refused, unknown := 0, 0, 0
	for key, err := range outcome {
		switch code := storage.CodeOf(err); {
		case err == nil:
			acked++
			if !there[key] {
				t.Errorf("%s was acknowledged and is not there", key)
			}
		case code == storage.CodeUnknown:
			unknown++
		case code == storage.CodeUnavailable, errors.Is(err, context.DeadlineExceeded):
			refused++
			if there[key] {
				t.Errorf("%s is there, but the error was %v", key, err)
			}
		default:
			t.Errorf("%s: %v", key, err)
		}
	}
	t.Logf("%d acknowledged, %d not done, %d unknown", acked, refused, unknown)
	if acked == 0 {
		t.Error("nothing was acknowledged")
	}
}
