package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

// twoEtcds is a world of two servers on one etcd, beside another etcd that books move to.
type twoEtcds struct {
	t           *testing.T
	main, other string
	secret      string
	tls         []string // flags of servers and of the command that moves
	flags       []string // other flags of servers

	mu    sync.Mutex        // guards the fields below
	acked map[string]string // the title of each book that was acknowledged last
	tried map[string]string // the one that was sent last
}

func newTwoEtcds(t *testing.T) *twoEtcds { return twoEtcdsOf(t, etcdproc.Config{Members: 1}) }

func twoEtcdsOf(t *testing.T, config etcdproc.Config) *twoEtcds {
	main, other := startEtcd(t, config), startEtcd(t, config)
	return &twoEtcds{t: t, main: main.Endpoints()[0], other: other.Endpoints()[0], secret: secretFile(t), acked: map[string]string{}, tried: map[string]string{}}
}

// server starts one where books are in the main etcd, or in the other.
func (w *twoEtcds) server(home string) *server {
	args := []string{"--etcd-servers", w.main, "--cluster-secret-file", w.secret}
	if home != "main" {
		args = append(args, "--etcd-servers-overrides", "library.example.com/books#"+home)
	}
	return startServer(w.t, slices.Concat(args, w.tls, w.flags)...)
}

// move runs the command as a process, which is killed when it says until; "" is never.
func (w *twoEtcds) move(to, until string) (says string, ok bool) {
	return w.moveOf("library.example.com/books", to, until)
}

func (w *twoEtcds) moveOf(resource, to, until string) (says string, ok bool) {
	args := []string{"migrate", "--etcd-servers", w.main, "--resource", resource, "--to", to}
	cmd := exec.CommandContext(w.t.Context(), library, append(args, w.tls...)...)
	out := &killer{text: until, cmd: cmd}
	cmd.Stdout, cmd.Stderr = out, out
	err := cmd.Run()
	return out.said.String(), err == nil
}

// killer keeps what a command says, and kills it when that has a text.
type killer struct {
	mu   sync.Mutex // guards said
	said bytes.Buffer
	text string
	cmd  *exec.Cmd
}

func (k *killer) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.said.Write(p)
	if k.text != "" && strings.Contains(k.said.String(), k.text) {
		_ = k.cmd.Process.Kill() // it has ended by itself, or ends
	}
	return len(p), nil
}

// write puts a title into a book, and notes that when it is acknowledged.
func (w *twoEtcds) write(ctx context.Context, s *server, name, title string) {
	w.mu.Lock()
	w.tried[name] = title
	w.mu.Unlock()
	code, answer, err := s.do(ctx, http.MethodPatch, books+"/"+name, "application/merge-patch+json", []byte(`{"spec":{"title":"`+title+`"}}`))
	if err != nil || code != http.StatusOK {
		if err == nil && code != http.StatusServiceUnavailable && code != http.StatusTooManyRequests && code != http.StatusGatewayTimeout {
			w.t.Errorf("write %s: %d %s", name, code, answer)
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.acked[name] = title
}

// titles are those of all books.
func (w *twoEtcds) titles(s *server) map[string]string {
	w.t.Helper()
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		code, answer, err := s.do(w.t.Context(), http.MethodGet, books, "", nil)
		if err == nil && code == http.StatusOK {
			var list struct {
				Items []struct {
					Metadata struct{ Name string }
					Spec     struct{ Title string }
				}
			}
			if err := json.Unmarshal(answer, &list); err != nil {
				w.t.Fatal(err)
			}
			all := map[string]string{}
			for _, item := range list.Items {
				all[item.Metadata.Name] = item.Spec.Title
			}
			return all
		}
		if time.Since(begin) > time.Minute {
			w.t.Fatalf("list: %d %s %v", code, answer, err)
		}
	}
}

// check wants servers to show what was acknowledged. Every book has one writer, who waits for each
// answer.
func (w *twoEtcds) check(when string, servers ...*server) {
	w.t.Helper()
	for _, s := range servers {
		w.mu.Lock()
		acked := maps.Clone(w.acked)
		w.mu.Unlock()
		shown := w.titles(s)
		for name, title := range acked {
			if shown[name] != title && shown[name] != w.triedFor(name) {
				w.t.Errorf("%s: %s is %q, after %q was acknowledged", when, name, shown[name], title)
			}
		}
	}
}

func (w *twoEtcds) triedFor(name string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.tried[name]
}

func (w *twoEtcds) fill(s *server, n int) {
	w.t.Helper()
	for i := range n {
		name := fmt.Sprintf("b%d", i)
		body := fmt.Appendf(nil, `{"metadata":{"name":%q},"spec":{"title":"none"}}`, name)
		if code, answer, err := s.do(w.t.Context(), http.MethodPost, books, "application/json", body); err != nil || code != http.StatusCreated {
			w.t.Fatalf("create: %d %s %v", code, answer, err)
		}
		w.acked[name] = "none"
	}
}

// TestMoveAndKills kills the command that moves books as soon as it has said a thing, and one of
// two servers with it. It may be some steps further then: TestMoveKilled of internal/serve stops
// it exactly. The next run brings the move to its end; what was acknowledged is there, and the
// server comes back.
func TestMoveAndKills(t *testing.T) {
	if testing.Short() {
		t.Skip("each kill takes the 16 seconds until a server is forgotten")
	}
	w := newTwoEtcds(t)
	stays, dies := w.server("main"), w.server("main")
	w.fill(stays, 50)
	home, to, killed := "main", w.other, 0
	for n, step := range []string{"are being moved from", "were copied", "are ready", "nobody reads or writes", "both etcds", "were moved;"} {
		ctx, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup
		for i := range 8 {
			writers.Go(func() {
				for round := 0; ctx.Err() == nil; round++ {
					w.write(t.Context(), stays, fmt.Sprintf("b%d", i), fmt.Sprintf("%d-%d", n, round))
				}
			})
		}
		if says, ended := w.move(to, step); !ended {
			killed++
			t.Logf("killed behind %q:\n%s", step, says)
		}
		dies.Kill()
		if says, ok := w.move(to, ""); !ok {
			t.Errorf("%q: it does not go on:\n%s", step, says)
		}
		home, to = to, home
		stop()
		writers.Wait()
		dies = w.server(home)
		w.check(step, stays, dies)
	}
	if killed < 2 {
		t.Errorf("only %d of 6 moves were killed before their end", killed)
	}
}

// TestMoveAndFrozenServer moves books while a server is frozen, with requests in its sockets. When
// it wakes, it acknowledges nothing that is lost, and shows nothing that is old.
func TestMoveAndFrozenServer(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes the 16 seconds until a server is forgotten")
	}
	w := newTwoEtcds(t)
	awake, frozen := w.server("main"), w.server("main")
	w.fill(awake, 60)
	w.check("before", awake, frozen)
	if err := frozen.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var asleep sync.WaitGroup
	for i := range 30 {
		asleep.Go(func() { w.write(t.Context(), frozen, fmt.Sprintf("b%d", i), "from the frozen") })
	}
	if says, ok := w.move(w.other, ""); !ok {
		t.Fatalf("%s", says)
	}
	for i := 30; i < 60; i++ {
		w.write(t.Context(), awake, fmt.Sprintf("b%d", i), "after the move")
	}
	if err := frozen.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	w.check("as it wakes", frozen)
	asleep.Wait()
	w.check("later", frozen, awake)
	late := 0
	for _, title := range w.titles(awake) {
		if title == "from the frozen" {
			late++
		}
	}
	t.Logf("%d of 30 writes that lay in the sockets of the frozen server were acknowledged, all in the other etcd", late)
}

// TestMoveOfTwo moves two resources to one etcd, one after the other, and one of them back, while
// servers run. A server that starts later is told where they are.
func TestMoveOfTwo(t *testing.T) {
	if testing.Short() {
		t.Skip("TestMoveWhileServing of internal/serve moves one")
	}
	w := newTwoEtcds(t)
	one, two := w.server("main"), w.server("main")
	w.fill(one, 10)
	for _, m := range []struct{ resource, to string }{
		{"library.example.com/books", w.other}, {"library.example.com/shelves", w.other}, {"library.example.com/books", "main"},
	} {
		if says, ok := w.moveOf(m.resource, m.to, ""); !ok {
			t.Fatalf("%s to %s:\n%s", m.resource, m.to, says)
		}
		for n := range 10 {
			w.write(t.Context(), []*server{one, two}[n%2], fmt.Sprintf("b%d", n), m.resource+" "+m.to)
		}
		w.check(m.resource+" in "+m.to, one, two)
	}
	later := startServer(t, "--etcd-servers", w.main, "--cluster-secret-file", w.secret, "--etcd-servers-overrides", "library.example.com/shelves#"+w.other)
	w.check("a later server", later)
}
