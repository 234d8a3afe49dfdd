package e2e

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	watchKills = flag.Int("watch-kills", 3, "how often TestWatchesOutliveKills kills the server")
	informers  = flag.Int("informers", 40, "how many watches it has")
)

const shelves = "/apis/library.example.com/v1/shelves"

// TestWatchesOutliveKills kills the server under writers and watches, which go on where they were
// at the next one. Hardly any is told to begin anew, and in the end each knows what is stored.
func TestWatchesOutliveKills(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir)
	followers := make([]*informer, *informers)
	for i := range followers {
		followers[i] = &informer{path: books, known: map[string]string{}}
		if i%5 == 0 {
			followers[i].path = shelves // where nothing happens
		}
		followers[i].list(t, s)
	}
	var resumed, expired atomic.Int64
	written := 0
	for range *watchKills {
		var all sync.WaitGroup
		for _, f := range followers {
			all.Go(func() {
				resumed.Add(1)
				if f.follow(t, s, "") {
					expired.Add(1)
				}
			})
		}
		begun := time.Now()
		for n := 0; n < 50 || time.Since(begun) < time.Second; n++ {
			written++
			write(t, s, written)
		}
		s.Cmd.Process.Kill()
		<-s.Ended()
		all.Wait()
		s = start(t, dir)
	}
	defer s.stop(syscall.SIGTERM)
	last := write(t, s, written+1)
	stored := &informer{path: books, known: map[string]string{}}
	stored.list(t, s)
	var all sync.WaitGroup
	for _, f := range followers {
		if f.path == books {
			all.Go(func() {
				if f.follow(t, s, last) {
					expired.Add(1)
				}
				if !maps.Equal(f.known, stored.known) {
					t.Errorf("a watch knows %d books, and %d are stored, or they are others", len(f.known), len(stored.known))
				}
			})
		}
	}
	all.Wait()
	t.Logf("%d writes, %d watches resumed, %d of them expired", written, resumed.Load(), expired.Load())
	if expired.Load()*100 > resumed.Load() {
		t.Errorf("%d of %d watches were told to begin anew; want 1 %% at most", expired.Load(), resumed.Load())
	}
}

// write changes one of a hundred books, and returns its revision.
func write(t *testing.T, s *server, n int) string {
	t.Helper()
	name := fmt.Sprintf("book-%d", n%100)
	code, body, err := s.do(http.MethodPost, books, "application/json", book(name))
	if code == http.StatusConflict {
		code, body, err = s.do(http.MethodPatch, books+"/"+name, "application/merge-patch+json", fmt.Appendf(nil, `{"spec":{"copies":%d}}`, n))
	}
	if err != nil || code/100 != 2 {
		t.Fatalf("write %s: %d %s %v", name, code, body, err)
	}
	var written watched
	if err := json.Unmarshal(body, &written); err != nil {
		t.Fatal(err)
	}
	return written.Metadata.ResourceVersion
}

// watched is what an informer remembers of objects and lists.
type watched struct {
	Metadata struct{ Name, ResourceVersion string }
	Items    []watched
	Code     int
}

// informer follows a collection, and knows the revisions of its objects.
type informer struct {
	path, revision string
	known          map[string]string
}

func (f *informer) list(t *testing.T, s *server) {
	code, body := s.get(f.path)
	var list watched
	if err := json.Unmarshal(body, &list); err != nil || code != http.StatusOK {
		t.Errorf("list: %d %v", code, err)
	}
	clear(f.known)
	for _, item := range list.Items {
		f.known[item.Metadata.Name] = item.Metadata.ResourceVersion
	}
	f.revision = list.Metadata.ResourceVersion
}

// follow watches until the connection breaks, or a revision has come. It says whether the watch was
// told to begin anew, and lists then.
func (f *informer) follow(t *testing.T, s *server, until string) (expired bool) {
	resp, err := s.Client.Get(s.URL + f.path + "?watch=true&allowWatchBookmarks=true&resourceVersion=" + f.revision)
	if err != nil {
		return false // killed
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for f.revision != until && lines.Scan() {
		var event struct {
			Type   string
			Object watched
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			return false // the half of a line: killed
		}
		of := event.Object.Metadata
		switch event.Type {
		case "ADDED", "MODIFIED":
			f.known[of.Name] = of.ResourceVersion
		case "BOOKMARK":
		default:
			f.list(t, s)
			return true
		}
		f.revision = of.ResourceVersion
	}
	return false
}
