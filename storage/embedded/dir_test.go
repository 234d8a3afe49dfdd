package embedded_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/typeplane/typeplane/storage/embedded"
)

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
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("it took %v to say so", took)
	}
}
