package embedded_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

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
		if took > 5*time.Second {
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
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("Close took %v", took)
	}
	if _, err := os.Lstat(s.Socket()); !os.IsNotExist(err) {
		t.Errorf("the socket is still there: %v", err)
	}
}

func TestDirectoryInUse(t *testing.T) {
	dir := t.TempDir()
	s := start(t, embedded.Config{Dir: dir})
	wantError(t, embedded.Config{Dir: dir}, dir, "another server is running on it")
	if _, err := store(s).Create(ctx, "/pods/a", []byte("x")); err != nil {
		t.Errorf("the first server suffered: %v", err)
	}
	s.Close()
	// A foreign etcd, or bbolt's own tools, know nothing of our lock.
	db, err := bbolt.Open(filepath.Join(dir, "member", "snap", "db"), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, embedded.Config{Dir: dir}, dir, "another process has the database")
	db.Close()
	start(t, embedded.Config{Dir: dir})
}

func TestBadDirectories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, embedded.Config{Dir: file}, file, "is a file")
	wantError(t, embedded.Config{Dir: filepath.Join(file, "below")}, file, "not a directory")
	wantError(t, embedded.Config{}, "no data directory", "")

	broken := t.TempDir()
	if err := os.MkdirAll(filepath.Join(broken, "member", "snap"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(broken, "member", "snap", "db"), make([]byte, 64<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, embedded.Config{Dir: broken}, broken, "restore a backup")

	shared := t.TempDir()
	if err := os.WriteFile(filepath.Join(shared, "something"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	wantError(t, embedded.Config{Dir: shared}, shared, "open to other users (mode 0755)")

	empty := t.TempDir()
	if err := os.Chmod(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	start(t, embedded.Config{Dir: empty})
	if info, err := os.Stat(empty); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("an empty directory was left with mode %v, %v", info.Mode(), err)
	}
}

func TestDirectoryThatCannotBeWrittenTo(t *testing.T) {
	for _, dir := range []string{"/proc", "/sys"} {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o222 == 0 {
			below := filepath.Join(dir, "typeplane")
			wantError(t, embedded.Config{Dir: below}, below, "")
			return
		}
	}
	if os.Getuid() == 0 {
		t.Skip("everything can be written to here")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	wantError(t, embedded.Config{Dir: dir}, dir, "can't be written to")
}

func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("long", 20), strings.Repeat("name", 20))
	wantError(t, embedded.Config{Dir: dir}, dir, "choose a shorter one")
	t.Chdir(dir)
	s := start(t, embedded.Config{Dir: dir})
	if s.Socket() != "etcd.sock" {
		t.Errorf("socket is %s", s.Socket())
	}
	if conn, err := net.Dial("unix", s.Socket()); err != nil {
		t.Error(err)
	} else {
		conn.Close()
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
	for range 100 {
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
	case <-time.After(5 * time.Second):
		t.Error("Done is not closed")
	}
	time.Sleep(50 * time.Millisecond)
	close(stop)
	for range 4 {
		<-done
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Second)
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

// wantError starts a server that must not start, soon, with an error that holds both texts.
func wantError(t *testing.T, config embedded.Config, texts ...string) {
	t.Helper()
	begin := time.Now()
	s, err := embedded.Start(ctx, config)
	if err == nil {
		s.Close()
		t.Fatalf("started on %q", config.Dir)
	}
	t.Log(err)
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("it took %v to say so", took)
	}
}
