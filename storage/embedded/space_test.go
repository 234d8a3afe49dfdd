package embedded

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// diary is a log that is read while it is written.
type diary struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
}

func (d *diary) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.text.Write(p)
}

func (d *diary) has(text string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return strings.Contains(d.text.String(), text)
}

func (d *diary) logger() *slog.Logger { return slog.New(slog.NewTextHandler(d, nil)) }

func startIn(t testing.TB, config Config) (*Server, storage.Interface) {
	t.Helper()
	s, err := Start(context.Background(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, etcd3.New(s.Client(), etcd3.Config{Root: "/registry"})
}

// until waits for a condition.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for begin := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 2*time.Minute {
			t.Fatalf("after two minutes there was still not: %s", what)
		}
	}
}

// TestQuota fills the database, and then makes room as a user would. Nobody touches etcd.
func TestQuota(t *testing.T) {
	var log diary
	_, st := startIn(t, Config{Dir: t.TempDir(), Quota: 16 << 20, Log: log.logger(), spaceEvery: 50 * time.Millisecond})
	ctx, value := context.Background(), make([]byte, 512<<10)
	// etcd looks at the size that the database had at its last commit. It commits every 100 ms, and
	// a fast disk takes many values in that time.
	n, full := 0, false
	for begin := time.Now(); !full && time.Since(begin) < 2*time.Minute; n++ {
		_, err := st.Create(ctx, fmt.Sprintf("/pods/%d", n), value)
		switch code := storage.CodeOf(err); {
		case code == storage.CodeNoSpace || code == storage.CodeUnknown:
			full = true
		case err != nil:
			t.Fatal(err)
		}
		if n == 27 {
			until(t, "a warning", func() bool { return log.has("the space quota will be reached soon") })
		}
	}
	if !full {
		t.Fatal("the quota was never reached")
	}
	until(t, "an error in the log", func() bool { return log.has("the space quota is reached") })
	if _, err := st.List(ctx, "/pods/", storage.ListOptions{}); err != nil {
		t.Errorf("a list while there is no space: %v", err)
	}
	deleting := time.Now()
	for i := range n - 5 {
		if _, err := st.Delete(ctx, fmt.Sprintf("/pods/%d", i), nil); err != nil && storage.CodeOf(err) != storage.CodeNotFound {
			t.Fatal(err)
		}
	}
	until(t, "room", func() bool {
		_, err := st.Create(ctx, "/pods/after", value)
		return err == nil
	})
	drill.FullDisk.Count("full quotas", 1)
	drill.FullDisk.Worst("writes again", time.Since(deleting))
	until(t, "word of it", func() bool { return log.has("there is room again, and writes are taken") })
}

// waste fills a database with what nobody needs any more.
func waste(t testing.TB, s *Server, st storage.Interface, live, dead int) {
	t.Helper()
	ctx, value := context.Background(), make([]byte, 64<<10)
	for i := range live + dead {
		if _, err := st.Create(ctx, fmt.Sprintf("/pods/%d", i), value); err != nil {
			t.Fatal(err)
		}
	}
	for i := range dead {
		if _, err := st.Delete(ctx, fmt.Sprintf("/pods/%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	now, err := st.Revision(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Client().Compact(ctx, now); err != nil {
		t.Fatal(err)
	}
	until(t, "free pages", func() bool {
		s.etcd.Server.Backend().ForceCommit()
		return s.etcd.Server.Backend().SizeInUse() < int64(live+dead/4+10)*(68<<10)
	})
}

func TestDefragmentsWhenItPays(t *testing.T) {
	var log diary
	s, st := startIn(t, Config{Dir: t.TempDir(), Log: log.logger()})
	waste(t, s, st, 10, 90)
	k := newKeeper(s, 0)
	for _, tc := range []struct {
		name               string
		minWaste, maxInUse int64
		want               bool
	}{
		{"little to win", 100 << 20, 16 << 20, false},
		{"much to copy", 1 << 20, 64 << 10, false},
		{"it pays", 1 << 20, 16 << 20, true},
		{"nothing left to win", 1 << 20, 16 << 20, false},
	} {
		k.minWaste, k.maxInUse = tc.minWaste, tc.maxInUse
		before := k.size()
		k.look(t.Context())
		if got := k.size() < before/2; got != tc.want {
			t.Errorf("%s: %d bytes became %d", tc.name, before, k.size())
		}
	}
	until(t, "word of it", func() bool { return log.has("the database was defragmented") })
	for i := range 10 {
		if _, err := st.Get(t.Context(), fmt.Sprintf("/pods/%d", 90+i), storage.GetOptions{}); err != nil {
			t.Error(err)
		}
	}
}

// History is given up by itself when it is older than the configuration says.
func TestCompactsByItself(t *testing.T) {
	_, st := startIn(t, Config{Dir: t.TempDir(), History: time.Second, NoSync: true})
	first, err := st.Create(t.Context(), "/pods/a", []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Delete(t.Context(), "/pods/a", nil); err != nil {
		t.Fatal(err)
	}
	until(t, "a compaction", func() bool {
		_, err := st.List(t.Context(), "/pods/", storage.ListOptions{Match: storage.Exact, Revision: first.Revision})
		return storage.CodeOf(err) == storage.CodeCompacted
	})
}

// BenchmarkDefragment says for how long nobody can read or write.
func BenchmarkDefragment(b *testing.B) {
	dir := b.TempDir()
	s, st := startIn(b, Config{Dir: dir})
	waste(b, s, st, 256, 64) // 16 MiB in use
	for b.Loop() {
		if err := s.etcd.Server.Defragment(); err != nil {
			b.Fatal(err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "member", "snap", "db")); err == nil {
		b.SetBytes(info.Size())
	}
}
