package audit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestSizeOfAll: a folder never holds more than the file and its backups may have, not even for a
// moment, also when a server begins over what is there already.
func TestSizeOfAll(t *testing.T) {
	const size, backups = 1000, 2
	dir := t.TempDir()
	keep := filepath.Join(dir, "audit-of-somebody.log")
	if err := os.WriteFile(keep, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	most, aside := 0, 0
	for range 3 {
		f := &file{path: filepath.Join(dir, "audit.log"), maxSize: size, backups: backups}
		for i := range 100 {
			if n, err := f.Write(bytes.Repeat([]byte("x"), 1+i)); n != 1+i || err != nil {
				t.Fatal(n, err)
			}
			sum, files := measure(t, dir)
			most, aside = max(most, sum), max(aside, files-2)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if most > size*(backups+1) || most < size*backups || aside != backups {
		t.Errorf("%d bytes, and %d files put aside, at most", most, aside)
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error("a file of somebody else's is gone:", err)
	}
}

// TestAge: what is too old goes with the next rotation; a file that somebody moved away is nobody's
// fault.
func TestAge(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "audit-"+time.Now().Add(-2*time.Hour).UTC().Format(asideFormat)+".log")
	young := filepath.Join(dir, "audit-"+time.Now().Add(-time.Minute).UTC().Format(asideFormat)+".log")
	for _, path := range []string{old, young} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := &file{path: filepath.Join(dir, "audit.log"), maxSize: 10, maxAge: time.Hour}
	defer f.Close()
	for _, lines := range []string{"123456789\n", "a\n"} {
		if _, err := f.Write([]byte(lines)); err != nil {
			t.Fatal(err)
		}
		if lines != "a\n" {
			if err := os.Remove(f.path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("an old file is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(f.path); err != nil || string(data) != "a\n" {
		t.Errorf("%q, %v", data, err)
	}
}

// TestRotationFails: a folder that can't be changed keeps its file, and more is written when it
// can.
func TestRotationFails(t *testing.T) {
	dir := t.TempDir()
	f := &file{path: filepath.Join(dir, "audit.log"), maxSize: 10, backups: 1}
	defer f.Close()
	stuck := filepath.Join(dir, "audit-"+time.Now().UTC().Format(asideFormat)+".log")
	if err := os.MkdirAll(filepath.Join(stuck, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("123456789\n")); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("a\n")); n != 0 || err == nil {
		t.Errorf("%d bytes were written over the limit, %v", n, err)
	}
	if err := os.RemoveAll(stuck); err != nil {
		t.Fatal(err)
	}
	if n, err := f.Write([]byte("a\n")); n != 2 || err != nil {
		t.Error(n, err)
	}
}

func measure(t *testing.T, dir string) (bytes, files int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		bytes += int(info.Size())
	}
	return bytes, len(entries)
}
