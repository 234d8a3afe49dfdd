//go:build unix

package etcd3_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// TestKine: kine is refused, with the reason; and the reason is so. It keeps its rows in
// PostgreSQL, which gives them numbers before transactions end. So a list can have a row and lack
// one with a smaller number, which no watch behind the list returns. A kine without such gaps fails
// the test: then it is to be looked at anew.
func TestKine(t *testing.T) {
	url := startKine(t)
	if client, err := etcd3.Dial(t.Context(), etcd3.DialConfig{Endpoints: []string{url}}); err == nil {
		client.Close()
		t.Error("kine is not refused")
	} else if !strings.Contains(err.Error(), "is none, for it names no cluster") {
		t.Error(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{url}})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	store := etcd3.New(client, etcd3.Config{Root: "/gap"})
	if _, err := store.Create(t.Context(), "/a", nil, storage.Op{Key: "/b", Value: []byte("b")}); err == nil {
		t.Error("it took two keys in one transaction")
	}
	missed := 0
	for round := 0; round < 5 && missed == 0; round++ {
		missed = missedChanges(t, store, fmt.Sprintf("/round%d/", round))
	}
	if missed == 0 {
		t.Error("nobody missed anything: it need not be refused for that any more")
	}
	t.Logf("8 clients that list and then watch, beside 24 that write, missed %d changes", missed)
}

// missedChanges has clients list and watch while others write, and returns how many of the objects
// they have not heard of when nothing comes for a while.
func missedChanges(t *testing.T, store *etcd3.Store, prefix string) int {
	const writers, each, readers = 24, 40, 8
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	defer stop()
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range each {
				if _, err := store.Create(ctx, fmt.Sprintf("%s%d-%d", prefix, w, n), []byte("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	missed := make([]int, readers)
	for r := range readers {
		all.Go(func() { missed[r] = writers*each - followed(ctx, t, store, prefix, writers*each) })
	}
	all.Wait()
	sum := 0
	for _, n := range missed {
		sum += n
	}
	return sum
}

// followed returns how many objects a list and a watch behind it return, when these are enough or
// nothing has come for five seconds.
func followed(ctx context.Context, t *testing.T, store *etcd3.Store, prefix string, enough int) int {
	time.Sleep(50 * time.Millisecond) // so that it begins in the middle
	page, err := store.List(ctx, prefix, storage.ListOptions{})
	if err != nil {
		t.Error(err)
		return enough
	}
	seen := map[string]bool{}
	for _, e := range page.Entries {
		seen[e.Key] = true
	}
	w, err := store.Watch(ctx, prefix, storage.WatchOptions{After: page.Revision})
	if err != nil {
		t.Error(err)
		return enough
	}
	defer w.Close()
	quiet, cancel := context.WithCancel(ctx)
	defer cancel()
	timer := time.AfterFunc(5*time.Second, cancel)
	for len(seen) < enough {
		events, err := w.Next(quiet)
		if err != nil {
			break
		}
		timer.Reset(5 * time.Second)
		for _, e := range events {
			seen[e.Entry.Key] = true
		}
	}
	return len(seen)
}

// startKine runs the kine that KINE names over a PostgreSQL of its own, and returns its URL.
func startKine(t *testing.T) string {
	t.Helper()
	program := os.Getenv("KINE")
	if program == "" {
		t.Skip("make kine builds kine, which takes minutes, and names it in KINE")
	}
	bin := postgres(t)
	dir, err := os.MkdirTemp("", "kine") // t.TempDir is too long a path for a socket, and private
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	data, socket := filepath.Join(dir, "data"), filepath.Join(dir, "kine.sock")
	if err := command(t, dir, filepath.Join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "kine").Run(); err != nil {
		t.Fatal("initdb: ", err)
	}
	spawn(t, command(t, dir, filepath.Join(bin, "postgres"), "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "max_connections=200"))
	await(t, filepath.Join(dir, ".s.PGSQL.5432"))
	kine := exec.Command(program, "--listen-address", "unix://"+socket, "--endpoint", "postgres://kine@localhost/kine?host="+dir, "--metrics-bind-address", "0")
	kine.Stderr = t.Output()
	spawn(t, kine)
	await(t, socket)
	return "unix://" + socket
}

// postgres is the directory of PostgreSQL's programs, which Debian puts on no PATH.
func postgres(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		t.Skip("NOT TESTED: there is no PostgreSQL on this machine: apt-get install postgresql")
	}
	return filepath.Dir(slices.Max(found))
}

// command is one that root runs as nobody, since PostgreSQL refuses root. dir is for it.
func command(t *testing.T, dir, program string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stderr = dir, t.Output()
	if os.Geteuid() != 0 {
		return cmd
	}
	nobody, err := user.Lookup("nobody")
	if err != nil {
		t.Fatal(err)
	}
	uid, uidErr := strconv.ParseUint(nobody.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(nobody.Gid, 10, 32)
	if uidErr != nil || gidErr != nil {
		t.Fatal(uidErr, gidErr)
	}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd
}

// spawn runs a program until the test ends.
func spawn(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt) // a fast shutdown of both
		_ = cmd.Wait()                       // it was told to end
	})
}

func await(t *testing.T, socket string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(socket); err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after a minute there is no %s", socket)
		}
	}
}
