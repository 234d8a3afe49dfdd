package embedded_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// backup writes a snapshot of s into a new file and returns its name.
func backup(t *testing.T, s *embedded.Server) string {
	t.Helper()
	var data bytes.Buffer
	var last, total int64
	revision, err := etcd3.Snapshot(ctx, s.Client(), &data, func(done, of int64) { last, total = done, of })
	if err != nil {
		t.Fatal(err)
	}
	if last != int64(data.Len()) || total < last {
		t.Errorf("progress ended at %d of %d, %d bytes were written", last, total, data.Len())
	}
	file := filepath.Join(t.TempDir(), "snapshot")
	if err := os.WriteFile(file, data.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := embedded.CheckSnapshot(file)
	if err != nil || found.Revision < revision {
		t.Fatalf("%+v, %v; want a revision from %d on", found, err, revision)
	}
	return file
}

// soon is a context for what must not take long.
func soon(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func create(t *testing.T, s *embedded.Server, n int) storage.Entry {
	t.Helper()
	entry, err := store(s).Create(ctx, fmt.Sprintf("/pods/%04d", n), fmt.Appendf(nil, "value %d", n))
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// Whatever clients have seen of a database before it is restored, they see that it is another one.
func TestRestoreGoesForward(t *testing.T) {
	dir := t.TempDir()
	s := start(t, embedded.Config{Dir: dir})
	var kept []storage.Entry
	for n := range 20 {
		kept = append(kept, create(t, s, n))
	}
	// One that is not in the backup any more, and one that is of a later write than those behind
	// it.
	create(t, s, 7777)
	if _, err := store(s).Delete(ctx, "/pods/7777", nil); err != nil {
		t.Fatal(err)
	}
	var err error
	kept[5], err = store(s).GuaranteedUpdate(ctx, kept[5].Key, func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("newer"), nil, nil })
	if err != nil {
		t.Fatal(err)
	}
	leased, err := store(s).Create(ctx, "/pods/0019-leased", []byte("for an hour"), storage.Lifetime(time.Hour))
	if err != nil || leased.Lease == 0 {
		t.Fatalf("%+v, %v", leased, err)
	}
	kept = append(kept, leased)
	file := backup(t, s)
	var newest storage.Entry
	for n := 20; n < 40; n++ {
		newest = create(t, s, n)
	}
	if _, err := store(s).GuaranteedUpdate(ctx, kept[6].Key, func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("lost"), nil, nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := store(s).Delete(ctx, "/pods/0003", nil); err != nil {
		t.Fatal(err)
	}
	s.Close()

	done, err := embedded.Restore(embedded.Restoration{Snapshot: file, Dir: dir, Replace: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(done.Previous, "snap", "db")); err != nil {
		t.Errorf("the database of before: %v", err)
	}
	if done.Snapshot.Keys != len(kept) || done.Revision < newest.Revision+1_000_000_000 {
		t.Errorf("%+v", done)
	}
	for round := range 2 {
		s = start(t, embedded.Config{Dir: dir})
		page, err := store(s).List(ctx, "/", storage.ListOptions{})
		if err != nil || page.Revision < done.Revision || len(page.Entries) != len(kept)+round {
			t.Fatalf("%d entries at %d, %v; want %d at %d or later", len(page.Entries), page.Revision, err, len(kept)+round, done.Revision)
		}
		for i, e := range kept {
			if got := page.Entries[i]; got.Key != e.Key || !bytes.Equal(got.Value, e.Value) || got.Revision != done.Revision || got.Lease != e.Lease {
				t.Errorf("got %+v, want %+v at %d", got, e, done.Revision)
			}
		}
		for _, old := range []int64{kept[0].Revision, kept[19].Revision, newest.Revision} {
			w, err := store(s).Watch(ctx, "/pods/", storage.WatchOptions{After: old})
			if err == nil {
				_, err = w.Next(soon(t))
				w.Close()
			}
			if storage.CodeOf(err) != storage.CodeCompacted {
				t.Errorf("a watch after %d: %v", old, err)
			}
			if _, err := store(s).List(ctx, "/pods/", storage.ListOptions{Match: storage.Exact, Revision: old}); storage.CodeOf(err) != storage.CodeCompacted {
				t.Errorf("a list at %d: %v", old, err)
			}
		}
		w, err := store(s).Watch(ctx, "/pods/", storage.WatchOptions{After: page.Revision})
		if err != nil {
			t.Fatal(err)
		}
		entry := create(t, s, 50+round)
		if entry.Revision <= done.Revision {
			t.Errorf("a new write is at %d, the restored database began at %d", entry.Revision, done.Revision)
		}
		if events, err := w.Next(soon(t)); err != nil || events[0].Entry.Revision != entry.Revision {
			t.Errorf("a new watch: %+v, %v", events, err)
		}
		w.Close()
		s.Close()
	}
}

// More is rewritten than goes into one transaction.
func TestRestoreOfALargeDatabase(t *testing.T) {
	const n = 400
	value := func(i int) []byte { return bytes.Repeat([]byte{byte(i), byte(i >> 8)}, 32<<10) }
	s := start(t, embedded.Config{Dir: t.TempDir(), NoSync: true})
	for i := range n {
		if _, err := store(s).Create(ctx, fmt.Sprintf("/pods/%04d", i), value(i)); err != nil {
			t.Fatal(err)
		}
	}
	file := backup(t, s)
	s.Close()
	dir := t.TempDir()
	done, err := embedded.Restore(embedded.Restoration{Snapshot: file, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := embedded.CheckFile(dir); err != nil {
		t.Error(err)
	}
	if done.Snapshot.Keys != n {
		t.Errorf("%d keys in the snapshot, want %d", done.Snapshot.Keys, n)
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(database(dir)); err != nil || after.Size() > 2*before.Size() {
		t.Errorf("%d bytes became %d, %v", before.Size(), after.Size(), err)
	}
	s = start(t, embedded.Config{Dir: dir, NoSync: true})
	if found, err := embedded.CheckSnapshot(backup(t, s)); err != nil || found.Keys != n {
		t.Errorf("%d keys in a snapshot of it, want %d, %v", found.Keys, n, err)
	}
	page, err := store(s).List(ctx, "/pods/", storage.ListOptions{})
	if err != nil || len(page.Entries) != n {
		t.Fatalf("%d entries, %v", len(page.Entries), err)
	}
	for i, e := range page.Entries {
		if !bytes.Equal(e.Value, value(i)) || e.Revision != done.Revision {
			t.Errorf("%s: %d bytes at %d", e.Key, len(e.Value), e.Revision)
		}
	}
}

// The same snapshot, restored twice into directories that know nothing of each other.
func TestRestoreTwiceGoesForward(t *testing.T) {
	s := start(t, embedded.Config{Dir: t.TempDir()})
	create(t, s, 1)
	file := backup(t, s)
	s.Close()
	var first embedded.Restored
	for round := range 2 {
		dir := filepath.Join(t.TempDir(), "new")
		done, err := embedded.Restore(embedded.Restoration{Snapshot: file, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if round == 0 {
			first = done
			time.Sleep(time.Millisecond)
		} else if done.Revision <= first.Revision+100 {
			t.Errorf("the second time at %d, the first at %d", done.Revision, first.Revision)
		}
	}
	// A clock that is wrong.
	done, err := embedded.Restore(embedded.Restoration{Snapshot: file, Dir: t.TempDir(), Now: time.Unix(0, 1)})
	if err != nil || done.Revision != done.Snapshot.Revision+1_000_000_000 {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestRestoreRefuses(t *testing.T) {
	used := t.TempDir()
	s := start(t, embedded.Config{Dir: used})
	create(t, s, 1)
	file := backup(t, s)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write := func(data []byte) string {
		name := filepath.Join(t.TempDir(), "snapshot")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	stopped, foreign := t.TempDir(), t.TempDir()
	start(t, embedded.Config{Dir: stopped}).Close()
	if err := os.WriteFile(filepath.Join(foreign, "thesis.tex"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(foreign, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		r    embedded.Restoration
		want string
	}{
		"cut short":       {embedded.Restoration{Snapshot: write(whole[:len(whole)-100]), Dir: t.TempDir()}, "no SHA-256 at its end"},
		"one bit":         {embedded.Restoration{Snapshot: write(flipped), Dir: t.TempDir()}, "was damaged"},
		"a database file": {embedded.Restoration{Snapshot: filepath.Join(used, "member", "snap", "db"), Dir: t.TempDir()}, "copied from a data directory"},
		"no file":         {embedded.Restoration{Snapshot: filepath.Join(used, "nothing"), Dir: t.TempDir()}, "no such file"},
		"in use":          {embedded.Restoration{Snapshot: file, Dir: used, Replace: true}, "another server is running on it: stop it first"},
		"with a database": {embedded.Restoration{Snapshot: file, Dir: stopped}, "there is a database in it already"},
		"somebody else's": {embedded.Restoration{Snapshot: file, Dir: foreign}, "thesis.tex"},
	} {
		_, err := embedded.Restore(tc.r)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// A restore that was killed between its two last steps has left no database: a start must not make
// an empty one.
func TestRestoreCutShort(t *testing.T) {
	dir := t.TempDir()
	s := start(t, embedded.Config{Dir: dir})
	create(t, s, 1)
	file := backup(t, s)
	s.Close()
	if err := os.Mkdir(filepath.Join(dir, "restoring"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "member"), filepath.Join(dir, "restoring", "member")); err != nil {
		t.Fatal(err)
	}
	if s, err := embedded.Start(ctx, embedded.Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "run it again") {
		s.Close()
		t.Fatalf("a start: %v", err)
	}
	if _, err := embedded.Restore(embedded.Restoration{Snapshot: file, Dir: dir}); err != nil {
		t.Fatal(err)
	}
	if _, err := store(start(t, embedded.Config{Dir: dir})).Get(ctx, "/pods/0001", storage.GetOptions{}); err != nil {
		t.Error(err)
	}
}
