package embedded_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/embedded"
)

// safeBuffer is a bytes.Buffer for two.
type safeBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// Before the disk is full that is told, and writes are refused, but not deletions; when there is
// room again all is taken.
func TestLowSpace(t *testing.T) {
	var free atomic.Int64
	free.Store(1 << 40)
	var log safeBuffer
	s := start(t, embedded.WithFree(embedded.Config{Dir: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil))}, func(string) (int64, error) { return free.Load(), nil }))
	st := store(s)
	for _, key := range []string{"/pods/a", "/pods/b"} {
		if _, err := st.Create(ctx, key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	says := func(mib int64, text string) {
		t.Helper()
		free.Store(mib << 20)
		for end := time.Now().Add(time.Minute); !strings.Contains(log.String(), text); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("with %d MiB the log has no %q:\n%s", mib, text, log.String())
			}
		}
	}
	says(400, "the disk will be full soon")
	if !s.DiskLow() {
		t.Error("the disk is not low")
	}
	if _, err := st.Create(ctx, "/pods/c", []byte("x")); err != nil {
		t.Errorf("a write while the disk is low: %v", err)
	}
	says(100, "the disk is nearly full: only deletions are taken")
	if _, err := st.Create(ctx, "/pods/d", []byte("x")); storage.CodeOf(err) != storage.CodeNoSpace {
		t.Errorf("a create in the reserve: %v", err)
	}
	update := func() error {
		_, err := st.GuaranteedUpdate(ctx, "/pods/a", func(storage.Entry) ([]byte, []storage.Op, error) { return []byte("y"), nil, nil })
		return err
	}
	if err := update(); storage.CodeOf(err) != storage.CodeNoSpace {
		t.Errorf("an update in the reserve: %v", err)
	}
	if _, err := st.Get(ctx, "/pods/a", storage.GetOptions{}); err != nil {
		t.Errorf("a read in the reserve: %v", err)
	}
	if _, err := st.Delete(ctx, "/pods/b", nil); err != nil {
		t.Errorf("a deletion in the reserve: %v", err)
	}
	says(1000, "there is room on the disk again")
	if err := update(); err != nil {
		t.Errorf("an update when there is room: %v", err)
	}
	if n := strings.Count(log.String(), "level="); n != 3 {
		t.Errorf("the log has %d lines for three changes:\n%s", n, log.String())
	}
}
