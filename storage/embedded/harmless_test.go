package embedded_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// book is a log that is read while it is written.
type book struct {
	mu     sync.Mutex // guards buffer
	buffer bytes.Buffer
}

func (b *book) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *book) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

func (b *book) config(dir string) embedded.Config {
	return embedded.Config{Dir: dir, Log: slog.New(slog.NewTextHandler(b, nil))}
}

// records are the lines of the log except for those that say that this machine is slow, which it
// may be.
func (b *book) records() []string {
	var records []string
	for line := range strings.Lines(b.String()) {
		if !strings.Contains(line, "took too long") && !strings.Contains(line, "slow fdatasync") && !strings.Contains(line, "leader is overloaded") {
			records = append(records, line)
		}
	}
	return records
}

// A start and a stop that go as they should log nothing. So it is on a new directory and on an old
// one, with tools connected and with watches open.
func TestNothingToSay(t *testing.T) {
	dir := t.TempDir()
	for range 3 {
		var log book
		s := start(t, log.config(dir))
		tool, err := etcd3.Dial(ctx, etcd3.DialConfig{Endpoints: []string{"unix://" + s.Socket()}})
		if err != nil {
			t.Fatal(err)
		}
		w, err := etcd3.New(tool, etcd3.Config{Root: "/registry"}).Watch(ctx, "/pods/", storage.WatchOptions{After: 1})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond) // etcd has some things to do after it answers
		s.Close()
		w.Close()
		tool.Close()
		if records := log.records(); len(records) > 0 {
			t.Errorf("the log has\n%s", strings.Join(records, ""))
		}
	}
}

func TestBrokenFilesAreSaid(t *testing.T) {
	for name, tc := range map[string]struct {
		damage func(wal []byte, end int) []byte // the rest of the file is zeros
		starts bool
		want   string // in the error, or in the log
	}{
		"last record changed": {func(wal []byte, end int) []byte { wal[end-1] ^= 0xff; return wal }, false, "walpb: crc mismatch"},
		"last record cut":     {func(wal []byte, end int) []byte { return wal[:end-20] }, true, "the write-ahead log ended in the middle of a record"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, embedded.Config{Dir: dir})
			for i := range 3 {
				if _, err := store(s).Create(ctx, fmt.Sprintf("/pods/%d", i), bytes.Repeat([]byte("x"), 1000)); err != nil {
					t.Fatal(err)
				}
			}
			s.Close()
			files, err := filepath.Glob(filepath.Join(dir, "member", "wal", "*.wal"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			wal, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files[0], tc.damage(wal, len(bytes.TrimRight(wal, "\x00"))), 0o600); err != nil {
				t.Fatal(err)
			}
			var log book
			s, err = embedded.Start(ctx, log.config(dir))
			if err == nil {
				s.Close()
			}
			if said := fmt.Sprint(err, log.records()); (err == nil) != tc.starts || !strings.Contains(said, tc.want) {
				t.Errorf("%v; the log has\n%s", err, &log)
			}
		})
	}
}
