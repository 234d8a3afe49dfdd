package embedded_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
)

// TestMissingParts takes each file and folder out of data directories, alone and in pairs. A start
// either finds every object, or says what is missing and what to do, and leaves the directory as it
// was.
func TestMissingParts(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(*testing.T) (dir string, entries int)
	}{
		{"young", func(t *testing.T) (string, int) { return filled(t, 40), 40 }},
		{"with snapshots", func(t *testing.T) (string, int) { return filled(t, 1100), 1100 }},
		{"restored", func(t *testing.T) (string, int) {
			s := start(t, embedded.Config{Dir: filled(t, 40)})
			file := backup(t, s)
			s.Close()
			dir := t.TempDir()
			if _, err := embedded.Restore(embedded.Restoration{Snapshot: file, Dir: dir}); err != nil {
				t.Fatal(err)
			}
			start(t, embedded.Config{Dir: dir}).Close()
			return dir, 40
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			whole, entries := tc.make(t)
			parts := partsOf(t, filepath.Join(whole, "member"))
			for i, a := range parts {
				for _, b := range parts[i:] {
					if a != b && strings.HasPrefix(b, a) {
						continue // gone with a
					}
					dir := filepath.Join(t.TempDir(), "data")
					if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
						t.Fatal(err)
					}
					if err := os.Chmod(dir, 0o700); err != nil {
						t.Fatal(err)
					}
					os.RemoveAll(filepath.Join(dir, "member", a))
					os.RemoveAll(filepath.Join(dir, "member", b))
					startOrRefuse(t, dir, fmt.Sprintf("without %s and %s", a, b), entries)
				}
			}
		})
	}
}

// partsOf are the files and folders below dir, the whole of it not.
func partsOf(t *testing.T, dir string) (parts []string) {
	t.Helper()
	if err := fs.WalkDir(os.DirFS(dir), ".", func(path string, _ fs.DirEntry, err error) error {
		if path != "." && !strings.HasSuffix(path, ".tmp") {
			parts = append(parts, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return parts
}

func startOrRefuse(t *testing.T, dir, what string, entries int) {
	t.Helper()
	before := partsOf(t, filepath.Join(dir, "member"))
	s, err := embedded.Start(soon(t), embedded.Config{Dir: dir})
	if err != nil {
		t.Logf("%s: %v", what, err)
		if !strings.Contains(err.Error(), "restore a backup") {
			t.Errorf("%s: %v; want what to do", what, err)
		}
		if after := partsOf(t, filepath.Join(dir, "member")); !slices.Equal(before, after) {
			t.Errorf("%s: refused, and changed: %v became %v", what, before, after)
		}
		return
	}
	defer s.Close()
	if page, err := store(s).List(ctx, "/pods/", storage.ListOptions{}); err != nil || len(page.Entries) != entries {
		t.Errorf("%s: started with %d of %d entries, %v", what, len(page.Entries), entries, err)
	}
}

// TestFirstStartAfterAnother: a first start that was killed leaves parts of a database, in which
// there is nothing to lose.
func TestFirstStartAfterAnother(t *testing.T) {
	for _, folders := range [][]string{nil, {"wal"}, {"snap"}, {"snap", "wal"}} {
		dir := filepath.Join(t.TempDir(), "data")
		for _, folder := range append(folders, "") {
			if err := os.MkdirAll(filepath.Join(dir, "member", folder), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, "unfinished"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, embedded.Config{Dir: dir})
		if _, err := store(s).Create(ctx, "/pods/a", []byte("a")); err != nil {
			t.Errorf("%v: %v", folders, err)
		}
		s.Close()
	}
}

// Power may go in the middle of the first pages of the first database: each of them may be missing.
func TestFirstPagesAreTorn(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "db")
	db, err := bbolt.Open(whole, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	size := db.Info().PageSize
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	pages, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for lost := range len(pages) / size {
		dir := filepath.Join(t.TempDir(), "data")
		snap := filepath.Join(dir, "member", "snap")
		if err := os.MkdirAll(snap, 0o700); err != nil {
			t.Fatal(err)
		}
		torn := bytes.Clone(pages)
		clear(torn[lost*size : (lost+1)*size])
		for name, content := range map[string][]byte{filepath.Join(snap, "db"): torn, filepath.Join(dir, "unfinished"): nil} {
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := start(t, embedded.Config{Dir: dir})
		if _, err := store(s).Create(ctx, "/pods/a", []byte("a")); err != nil {
			t.Errorf("without page %d: %v", lost, err)
		}
		s.Close()
	}
}
