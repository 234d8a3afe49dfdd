package embedded_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
)

func database(dir string) string { return filepath.Join(dir, "member", "snap", "db") }

// filled makes a data directory with n entries, and stops the server.
func filled(t testing.TB, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s := start(t, embedded.Config{Dir: dir})
	st := store(s)
	for i := range n {
		if _, err := st.Create(ctx, fmt.Sprintf("/pods/%d", i), bytes.Repeat([]byte{byte(i)}, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	return dir
}

func TestDamagedDatabase(t *testing.T) {
	dir := filled(t, 40)
	whole, err := os.ReadFile(database(dir))
	if err != nil {
		t.Fatal(err)
	}
	pageSize := os.Getpagesize()
	// The header of a page is its number, flags, count of elements and overflow; then come the
	// elements.
	const id, flags, count, element = 0, 8, 10, 16
	const branch, leaf = 1, 2
	var leaves, branches []int
	for at := 2 * pageSize; at+pageSize <= len(whole); at += pageSize {
		if binary.LittleEndian.Uint64(whole[at:]) != uint64(at/pageSize) || binary.LittleEndian.Uint16(whole[at+count:]) == 0 {
			continue
		}
		switch binary.LittleEndian.Uint16(whole[at+flags:]) {
		case leaf:
			leaves = append(leaves, at)
		case branch:
			branches = append(branches, at)
		}
	}
	if len(leaves) < 5 || len(branches) == 0 {
		t.Fatalf("%d leaves and %d branches", len(leaves), len(branches))
	}
	// Pages that were freed look like others, so it is enough that each kind of damage is found in
	// one page.
	for _, tc := range []struct {
		name  string
		pages []int
		at    int
	}{
		{"number of a leaf", leaves, id},
		{"flags of a leaf", leaves, flags},
		{"count of a leaf", leaves, count},
		{"place of an element", leaves, element + 7},
		{"flags of a branch", branches, flags},
		{"child of a branch", branches, element + 8},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := 0
			for _, page := range tc.pages {
				broken := bytes.Clone(whole)
				broken[page+tc.at] ^= 0x55
				if err := os.WriteFile(database(dir), broken, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := embedded.CheckFile(dir); err != nil {
					found++
					t.Log(err)
				}
			}
			if found == 0 {
				t.Errorf("found in none of %d pages", len(tc.pages))
			}
		})
	}
	t.Run("start", func(t *testing.T) {
		broken := bytes.Clone(whole)
		for _, page := range leaves {
			broken[page+flags] ^= 0x55
		}
		if err := os.WriteFile(database(dir), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		wantError(t, embedded.Config{Dir: dir}, "is damaged", "restore a backup")
	})
	if err := os.WriteFile(database(dir), whole, 0o600); err != nil {
		t.Fatal(err)
	}
	start(t, embedded.Config{Dir: dir})
}

func TestWrittenByANewerEtcd(t *testing.T) {
	dir := filled(t, 1)
	for _, tc := range []struct{ bucket, key, older, newer string }{
		{"meta", "storageVersion", "3.6.0", "3.99.0"},
		{"cluster", "clusterVersion", "3.6.0", "4.0.0"},
	} {
		edit := func(value string) (was string) {
			db, err := bbolt.Open(database(dir), 0o600, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if err := db.Update(func(tx *bbolt.Tx) error {
				b := tx.Bucket([]byte(tc.bucket))
				was = string(b.Get([]byte(tc.key)))
				return b.Put([]byte(tc.key), []byte(value))
			}); err != nil {
				t.Fatal(err)
			}
			return was
		}
		was := edit(tc.newer)
		wantError(t, embedded.Config{Dir: dir}, "was written by a newer etcd ("+tc.newer)
		edit(was)
		start(t, embedded.Config{Dir: dir}).Close()
	}
}

// TestShortLog: the write-ahead log may end before what the database has. Then the server must not
// start, or go on where the database is: an index that is used twice would make writes disappear.
func TestShortLog(t *testing.T) {
	for _, part := range []int{1, 2, 3} {
		t.Run(fmt.Sprintf("%d of 4", part), func(t *testing.T) {
			const n = 40
			dir := filled(t, n)
			files, err := filepath.Glob(filepath.Join(dir, "member", "wal", "*.wal"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			wal, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			end := len(bytes.TrimRight(wal, "\x00"))
			if err := os.Truncate(files[0], int64(end*part/4)); err != nil {
				t.Fatal(err)
			}
			s, err := embedded.Start(ctx, embedded.Config{Dir: dir})
			if err != nil {
				t.Log(err)
				return
			}
			defer s.Close()
			st := store(s)
			for i := range 60 {
				made, err := st.Create(ctx, fmt.Sprintf("/after/%d", i), []byte("x"))
				if err != nil {
					t.Fatal(err)
				}
				if got, err := st.Get(ctx, fmt.Sprintf("/after/%d", i), storage.GetOptions{}); err != nil || got.Revision != made.Revision {
					t.Fatalf("write %d was acknowledged at %d: %+v, %v", i, made.Revision, got, err)
				}
			}
			if page, err := st.List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(page.Entries) != n {
				t.Errorf("%d of %d entries are there, %v", len(page.Entries), n, err)
			}
		})
	}
}

// BenchmarkCheck says what the check costs at the start, per MB of database.
func BenchmarkCheck(b *testing.B) {
	dir := b.TempDir()
	s := start(b, embedded.Config{Dir: dir})
	st := store(s)
	value := bytes.Repeat([]byte("0123456789"), 360)
	for i := range 20000 / 100 {
		var ops []storage.Op
		for j := range 100 {
			ops = append(ops, storage.Op{Key: fmt.Sprintf("/pods/%d-%d", i, j), Value: value})
		}
		if _, err := st.Create(ctx, fmt.Sprintf("/first/%d", i), value, ops...); err != nil {
			b.Fatal(err)
		}
	}
	s.Close()
	info, err := os.Stat(database(dir))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	begin := time.Now()
	for b.Loop() {
		if err := embedded.CheckFile(dir); err != nil {
			b.Fatal(err)
		}
	}
	b.Logf("%d MB in %v", info.Size()>>20, time.Since(begin)/time.Duration(b.N))
}
