package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/drill"
)

var (
	kills   = flag.Int("kills", 4, "how often TestKilledServerKeepsWhatItAcknowledged kills the server")
	starts  = flag.Int("starts", 3, "how many starts TestStartTime takes of each kind")
	objects = flag.Int("objects", 500, "how many objects TestStartTime starts with")
)

const books = "/apis/library.example.com/v1/namespaces/default/books"

func book(name string) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":%q},"spec":{"title":"Title of %s","authors":["Anon"],"copies":1}}`, name, name)
}

// TestKilledServerKeepsWhatItAcknowledged kills the server with SIGKILL in the middle of 1,000
// creates, again and again on one data directory: every create that was answered with 201 is there
// afterwards.
func TestKilledServerKeepsWhatItAcknowledged(t *testing.T) {
	dir := t.TempDir()
	acknowledged := map[string]bool{}
	for round := range *kills {
		s := start(t, dir)
		for name := range createUntilKilled(t, s, round) {
			acknowledged[name] = true
		}
	}
	s := start(t, dir)
	defer s.stop(syscall.SIGTERM)
	stored, lost := names(t, s), 0
	for name := range acknowledged {
		if !stored[name] {
			t.Errorf("%s was acknowledged and is gone", name)
			lost++
		}
	}
	if len(acknowledged) < *kills {
		t.Errorf("only %d creates were acknowledged in %d rounds: the kills came too early to show anything", len(acknowledged), *kills)
	}
	drill.ProcessKill.Count("SIGKILLs", *kills)
	drill.ProcessKill.Count("acknowledged writes", len(acknowledged))
	drill.ProcessKill.Count("writes lost", lost)
	t.Logf("%d kills, %d creates acknowledged, %d stored", *kills, len(acknowledged), len(stored))
}

// createUntilKilled posts 1,000 books from eight clients, kills the server somewhere on the way,
// and returns the names that were acknowledged.
func createUntilKilled(t *testing.T, s *server, round int) map[string]bool {
	t.Helper()
	const total, clients = 1000, 8
	killAt := 50 + rand.IntN(total-100)
	var (
		mu           sync.Mutex // guards acknowledged
		acknowledged = map[string]bool{}
		wg           sync.WaitGroup
		once         sync.Once
	)
	for client := range clients {
		wg.Go(func() {
			for i := client; i < total; i += clients {
				name := fmt.Sprintf("book-%d-%d", round, i)
				code, body, err := s.do(http.MethodPost, books, "application/json", book(name))
				if err != nil {
					return // killed
				}
				if code != http.StatusCreated {
					t.Errorf("create %s: %d %s", name, code, body)
					return
				}
				mu.Lock()
				acknowledged[name] = true
				kill := len(acknowledged) >= killAt
				mu.Unlock()
				if kill {
					once.Do(func() { s.Cmd.Process.Kill() })
				}
			}
		})
	}
	wg.Wait()
	<-s.Ended()
	return acknowledged
}

func names(t *testing.T, s *server) map[string]bool {
	t.Helper()
	code, body := s.get(books)
	if code != http.StatusOK {
		t.Fatalf("list: %d %s", code, body)
	}
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	if err := json.Unmarshal(body, &list); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, item := range list.Items {
		found[item.Metadata.Name] = true
	}
	return found
}

// TestStartTime starts the server on empty directories and on one with objects in it. The log has
// the worst times; there is no bound, since machines are busy: a start that hangs is found by
// start.
func TestStartTime(t *testing.T) {
	empty := worstStart(t, syscall.SIGTERM, func() string { return t.TempDir() })
	t.Logf("empty directory: worst of %d starts %v", *starts, empty)

	dir := t.TempDir()
	s := start(t, dir)
	fill(t, s, *objects)
	s.stop(syscall.SIGTERM)
	full := worstStart(t, syscall.SIGTERM, func() string { return dir })
	start(t, dir).stop(syscall.SIGKILL)
	killed := worstStart(t, syscall.SIGKILL, func() string { return dir })
	drill.Start.Worst("empty", empty)
	drill.Start.Worst("over objects", full)
	drill.Start.Worst("after SIGKILL", killed)
	drill.Start.Count("starts", 3**starts)
	drill.Start.Count("objects", *objects)
	t.Logf("%d objects: worst of %d starts %v, and %v after SIGKILL", *objects, *starts, full, killed)
}

// worstStart is the longest of some starts, each of which is ended by a signal.
func worstStart(t *testing.T, sig syscall.Signal, dir func() string) time.Duration {
	t.Helper()
	worst := time.Duration(0)
	for range *starts {
		s := start(t, dir())
		worst = max(worst, s.ready)
		s.stop(sig)
	}
	return worst
}

// fill creates n books from eight clients.
func fill(t *testing.T, s *server, n int) {
	t.Helper()
	var wg sync.WaitGroup
	const clients = 8
	for client := range clients {
		wg.Go(func() {
			for i := client; i < n; i += clients {
				code, body, err := s.do(http.MethodPost, books, "application/json", book(fmt.Sprintf("book-%d", i)))
				if err != nil || code != http.StatusCreated {
					t.Errorf("create: %d %s %v", code, body, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
