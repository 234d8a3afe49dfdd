package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestLostDirectory loses the data directory of a server that had a backup and a copy of its keys.
// What was in the backup is there again, what came later is gone, and nothing else is. Kubeconfigs
// are good. No revision is given twice, however much was written since the backup.
func TestLostDirectory(t *testing.T) {
	dir, safe := t.TempDir(), t.TempDir()
	data := filepath.Join(dir, "data")
	s := start(t, data)
	fill(t, s, 50)
	backup, keys := filepath.Join(safe, "backup"), filepath.Join(safe, "pki")
	if out, code := run(t, "backup", backup, "--data-dir", data); code != 0 {
		t.Fatalf("backup: exit %d\n%s", code, out)
	}
	if out, err := exec.Command("cp", "-a", filepath.Join(data, "pki"), keys).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kept := s.revisions(t)
	latest := 0
	for n := range 300 {
		latest = number(t, write(t, s, n))
	}
	s.Cmd.Process.Kill()
	<-s.Ended()
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}

	began := time.Now()
	if out, code := run(t, "restore", backup, "--data-dir", data); code != 0 {
		t.Fatalf("restore: exit %d\n%s", code, out)
	}
	if out, err := exec.Command("cp", "-a", keys, data).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	old := s.Client.Transport
	s = start(t, data)
	took := time.Since(began)
	now := s.revisions(t)
	if !slices.Equal(slices.Sorted(maps.Keys(now)), slices.Sorted(maps.Keys(kept))) {
		t.Errorf("%d books are there, and %d were in the backup, or they are others", len(now), len(kept))
	}
	lost := 0
	for name := range kept {
		if now[name] == 0 {
			lost++
		}
	}
	s.Client.Transport = old // what the lost server had given out
	back := 0
	if next := number(t, write(t, s, 1000)); next <= latest {
		back++
		t.Errorf("the next revision is %d, and %d was given before the loss", next, latest)
	}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	drill.LostDirectory.Count("losses", 1)
	drill.LostDirectory.Count("objects of the backup lost", lost)
	drill.LostDirectory.Count("revisions that go back", back)
	drill.LostDirectory.Worst("serving again", took)
}

// revisions are those of all books.
func (s *server) revisions(t *testing.T) map[string]int {
	t.Helper()
	_, body := s.get(books)
	var list watched
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	all := map[string]int{}
	for _, item := range list.Items {
		all[item.Metadata.Name] = number(t, item.Metadata.ResourceVersion)
	}
	return all
}

func number(t *testing.T, revision string) int {
	t.Helper()
	n, err := strconv.Atoi(revision)
	if err != nil {
		t.Fatal(fmt.Errorf("revision: %w", err))
	}
	return n
}
