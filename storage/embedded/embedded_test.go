package embedded_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

var ctx = context.Background()

func start(t testing.TB, config embedded.Config) *embedded.Server {
	t.Helper()
	s, err := embedded.Start(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func store(s *embedded.Server) *etcd3.Store {
	return etcd3.New(s.Client(), etcd3.Config{Root: "/registry"})
}

func TestStartIsQuickAndDataStays(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "by", "start")
	var revision int64
	for round := range 3 {
		begin := time.Now()
		s := start(t, embedded.Config{Dir: dir})
		took := time.Since(begin)
		t.Logf("round %d: ready after %v", round, took)
		if took > time.Minute {
			t.Errorf("ready after %v", took)
		}
		for i := range round {
			if _, err := store(s).Get(ctx, fmt.Sprintf("/pods/%d", i), storage.GetOptions{}); err != nil {
				t.Errorf("entry of round %d: %v", i, err)
			}
		}
		entry, err := store(s).Create(ctx, fmt.Sprintf("/pods/%d", round), []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		if entry.Revision <= revision {
			t.Errorf("revision %d after %d", entry.Revision, revision)
		}
		revision = entry.Revision
		s.Close()
		s.Close()
	}
}

func TestNobodyElseGetsIn(t *testing.T) {
	before := listeners(t)
	dir := filepath.Join(t.TempDir(), "data")
	s := start(t, embedded.Config{Dir: dir})
	for path, want := range map[string]os.FileMode{
		dir: os.ModeDir | 0o700, s.Socket(): os.ModeSocket | 0o600, filepath.Join(dir, "member"): os.ModeDir | 0o700,
	} {
		info, err := os.Lstat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
	if after := listeners(t); after != before {
		t.Errorf("TCP listeners of this process were %q and are %q", before, after)
	}
	if s.Socket() != filepath.Join(dir, "etcd.sock") {
		t.Errorf("socket is %s", s.Socket())
	}
}

// listeners returns the TCP sockets in state LISTEN that this process has open.
func listeners(t *testing.T) string {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	mine := map[string]bool{}
	for _, fd := range fds {
		if link, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			mine[link] = true
		}
	}
	var found []string
	for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		data, err := os.ReadFile(table)
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(data), "\n") {
			f := strings.Fields(line)
			if len(f) > 9 && f[3] == "0A" && mine["socket:["+f[9]+"]"] {
				found = append(found, f[1])
			}
		}
	}
	return strings.Join(found, " ")
}

func TestToolsComeThroughTheSocket(t *testing.T) {
	s := start(t, embedded.Config{Dir: t.TempDir()})
	client, err := etcd3.Dial(ctx, etcd3.DialConfig{Endpoints: []string{"unix://" + s.Socket()}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	outside := etcd3.New(client, etcd3.Config{Root: "/registry"})
	made, err := store(s).Create(ctx, "/pods/a", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := outside.Get(ctx, "/pods/a", storage.GetOptions{}); err != nil || got.Revision != made.Revision {
		t.Fatalf("got %+v, %v", got, err)
	}
	// A watch from outside must not hold up Close.
	w, err := outside.Watch(ctx, "/pods/", storage.WatchOptions{After: made.Revision - 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Next(ctx); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	s.Close()
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("Close took %v", took)
	}
	if _, err := os.Lstat(s.Socket()); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestCloseFreesEverything(t *testing.T) {
	run := func() {
		s := start(t, embedded.Config{Dir: t.TempDir()})
		st := store(s)
		if _, err := st.Create(ctx, "/pods/a", []byte("x")); err != nil {
			t.Fatal(err)
		}
		for range 5 {
			w, err := st.Watch(ctx, "/pods/", storage.WatchOptions{After: 1, Progress: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Next(ctx); err != nil {
				t.Fatal(err)
			}
			w.Close()
		}
		s.Close()
	}
	run()
	before := runtime.NumGoroutine()
	for range 3 {
		run()
	}
	after := 0
	for range 3000 {
		if after = runtime.NumGoroutine(); after <= before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines before, %d after\n%s", before, after, buf[:runtime.Stack(buf, true)])
}

func TestWatchAndReadsEndWithTheServer(t *testing.T) {
	s := start(t, embedded.Config{Dir: t.TempDir()})
	st := store(s)
	w, err := st.Watch(ctx, "/pods/", storage.WatchOptions{After: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	stop := make(chan struct{})
	done := make(chan struct{})
	for i := range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for j := 0; ; j++ {
				select {
				case <-stop:
					return
				default:
				}
				st.Create(ctx, fmt.Sprintf("/pods/%d-%d", i, j), []byte("x"))
				st.List(ctx, "/pods/", storage.ListOptions{Limit: 10})
			}
		}()
	}
	time.Sleep(50 * time.Millisecond)
	s.Close()
	select {
	case <-s.Done():
	case <-time.After(time.Minute):
		t.Error("Done is not closed")
	}
	time.Sleep(50 * time.Millisecond)
	close(stop)
	for range 4 {
		<-done
	}
	short, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		if _, err := w.Next(short); err != nil {
			if storage.CodeOf(err) != storage.CodeUnavailable {
				t.Errorf("watch ended with %v", err)
			}
			break
		}
	}
	if _, err := st.Get(short, "/pods/a", storage.GetOptions{}); storage.CodeOf(err) != storage.CodeUnavailable {
		t.Errorf("get after Close: %v", err)
	}
	if _, err := st.Create(short, "/pods/a", nil); err == nil {
		t.Error("create after Close went well")
	} else {
		t.Logf("create after Close: %v", err)
	}
}
