package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/tool"
)

// moving is a world in which widgets move while clients use them: some servers on one etcd, and
// what was acknowledged.
type moving struct {
	t       *testing.T
	main    string
	servers []*Instance
	clients []*http.Client

	mu      sync.Mutex // guards the fields below
	acked   map[string]ack
	newest  int64 // the highest resourceVersion that anybody was given
	refused time.Duration
	acks    int
}

// ack is the last acknowledged write of a widget: its color, and the resourceVersion.
type ack struct {
	color    string
	revision int64
}

type aMeta struct {
	Name            string `json:"name"`
	ResourceVersion string `json:"resourceVersion"`
}

type widgetView struct {
	Metadata aMeta `json:"metadata"`
	Spec     struct {
		Color string `json:"color"`
	} `json:"spec"`
}

func newMoving(t *testing.T, replicas int) *moving {
	main, _ := outerEtcd(t)
	w := &moving{t: t, main: main, acked: map[string]ack{}}
	secret := secretFile(t, "a secret of this cluster")
	for range replicas {
		i, client := runningServer(t, programtest.Widgets(), func(o *program.Options) {
			o.Store.InMemory, o.Store.EtcdServers, o.Store.ClusterSecretFile = false, []string{main}, secret
		})
		w.servers, w.clients = append(w.servers, i), append(w.clients, client)
	}
	return w
}

// move runs the command until it says a text, "" for to its end.
func (w *moving) move(to, until string) (says string, err error) {
	ctx, stop := context.WithCancel(w.t.Context())
	defer stop()
	out := &transcript{text: until, stop: stop}
	err = tool.Run(ctx, programtest.Widgets(), []string{"migrate", "--etcd-servers", w.main, "--resource", "shop.example.com/widgets", "--to", to},
		tool.Console{In: strings.NewReader(""), Out: out, Err: out})
	return out.String(), err
}

// do sends a request to a server.
func (w *moving) do(ctx context.Context, server int, method, path, contentType, body string) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, w.servers[server].URL()+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", contentType)
	resp, err := w.clients[server].Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// refused says that a server could not answer at that moment. A read waits for three seconds, and
// then says so: a machine that has other things to do may not be through with a move until then.
func refused(status int, answer []byte) bool {
	return status == http.StatusServiceUnavailable || status == http.StatusInternalServerError && strings.Contains(string(answer), "ServerTimeout")
}

func revisionOf(t *testing.T, text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Error(err)
	}
	return n
}

// write changes widgets of its own, each time through another server.
func (w *moving) write(ctx context.Context, writer int) {
	var down time.Time
	for n := 0; ctx.Err() == nil; n++ {
		time.Sleep(2 * time.Millisecond)
		name, color := fmt.Sprintf("w%d-%d", writer, n%20), fmt.Sprint(n)
		server := n % len(w.servers)
		status, answer, err := w.do(ctx, server, http.MethodPatch, widgetsPath+"/"+name, "application/merge-patch+json", `{"spec":{"color":"`+color+`"}}`)
		if err == nil && status == 404 {
			status, answer, err = w.do(ctx, server, http.MethodPost, widgetsPath, "application/json", strings.Replace(strings.Replace(aWidget, `"w"`, `"`+name+`"`, 1), `"spec":{}`, `"spec":{"color":"`+color+`"}`, 1))
		}
		switch {
		case ctx.Err() != nil:
			return // of unknown outcome; finals allow for it
		case err != nil:
			w.t.Errorf("write: %v", err)
			return
		case status == 503:
			if down.IsZero() {
				down = time.Now()
			}
			n--
			continue
		case status != 200 && status != 201:
			w.t.Errorf("write through server %d: %d %s", server, status, answer)
			return
		}
		var made widgetView
		if err := json.Unmarshal(answer, &made); err != nil {
			w.t.Error(err)
		}
		w.mu.Lock()
		if !down.IsZero() {
			w.refused, down = max(w.refused, time.Since(down)), time.Time{}
		}
		now := ack{color, revisionOf(w.t, made.Metadata.ResourceVersion)}
		if before := w.acked[name]; now.revision <= before.revision {
			w.t.Errorf("%s went from %+v to %+v", name, before, now)
		}
		w.acked[name] = now
		w.acks++
		w.mu.Unlock()
	}
}

// read lists through one server after the other, and wants to see what was acknowledged before.
func (w *moving) read(ctx context.Context) {
	for n := 0; ctx.Err() == nil; n++ {
		time.Sleep(5 * time.Millisecond)
		w.mu.Lock()
		newest, acked := w.newest, map[string]ack{}
		for name, a := range w.acked {
			acked[name] = a
		}
		w.mu.Unlock()
		status, answer, err := w.do(ctx, n%len(w.servers), http.MethodGet, widgetsPath, "", "")
		if ctx.Err() != nil || err == nil && refused(status, answer) {
			continue
		}
		if err != nil || status != 200 {
			w.t.Errorf("list: %d %s %v", status, answer, err)
			return
		}
		var list struct {
			Metadata aMeta        `json:"metadata"`
			Items    []widgetView `json:"items"`
		}
		if err := json.Unmarshal(answer, &list); err != nil {
			w.t.Error(err)
		}
		at := revisionOf(w.t, list.Metadata.ResourceVersion)
		if at < newest {
			w.t.Errorf("a list through server %d is of revision %d, after one of %d", n%len(w.servers), at, newest)
		}
		seen := map[string]ack{}
		for _, item := range list.Items {
			seen[item.Metadata.Name] = ack{item.Spec.Color, revisionOf(w.t, item.Metadata.ResourceVersion)}
		}
		for name, a := range acked {
			if seen[name].revision < a.revision {
				w.t.Errorf("a list at %d through server %d has %s as %+v, after %+v was acknowledged", at, n%len(w.servers), name, seen[name], a)
			}
		}
		w.mu.Lock()
		w.newest = max(w.newest, at)
		w.mu.Unlock()
	}
}

// follow lists and watches as an informer does, and returns what it knows when ctx ends.
func (w *moving) follow(ctx, watching context.Context, server int) (known map[string]ack, lists int) {
	last := int64(0)
	for watching.Err() == nil {
		known = map[string]ack{}
		status, answer, err := w.do(ctx, server, http.MethodGet, widgetsPath, "", "")
		if err != nil || refused(status, answer) {
			continue
		}
		lists++
		var list struct {
			Metadata aMeta        `json:"metadata"`
			Items    []widgetView `json:"items"`
		}
		if err := json.Unmarshal(answer, &list); err != nil {
			w.t.Error(err)
		}
		for _, item := range list.Items {
			known[item.Metadata.Name] = ack{item.Spec.Color, revisionOf(w.t, item.Metadata.ResourceVersion)}
		}
		at := revisionOf(w.t, list.Metadata.ResourceVersion)
		if at < last {
			w.t.Errorf("a follower listed %d after %d", at, last)
		}
		last = at
		for again := true; again && watching.Err() == nil; {
			last, again = w.watch(watching, server, last, known)
		}
	}
	return known, lists
}

// watch notes events until the watch ends; again says that it can go on from last.
func (w *moving) watch(ctx context.Context, server int, last int64, known map[string]ack) (int64, bool) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s%s?watch=1&allowWatchBookmarks=true&resourceVersion=%d", w.servers[server].URL(), widgetsPath, last), nil)
	if err != nil {
		w.t.Error(err)
		return last, false
	}
	resp, err := w.clients[server].Do(req)
	if err != nil {
		return last, true
	}
	defer resp.Body.Close()
	if resp.StatusCode == 503 {
		return last, true
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Type   string          `json:"type"`
			Object json.RawMessage `json:"object"`
		}
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			return last, true // cut off
		}
		if event.Type == "ERROR" {
			if !strings.Contains(string(event.Object), "410") {
				return last, true
			}
			return last, false
		}
		var object widgetView
		if err := json.Unmarshal(event.Object, &object); err != nil {
			w.t.Error(err)
		}
		at := revisionOf(w.t, object.Metadata.ResourceVersion)
		if at < last {
			w.t.Errorf("a watch sent %s of revision %d after %d", event.Type, at, last)
		}
		last = at
		switch event.Type {
		case "ADDED", "MODIFIED":
			known[object.Metadata.Name] = ack{object.Spec.Color, at}
		case "DELETED":
			w.t.Errorf("%s was deleted, and nobody did that", object.Metadata.Name)
		}
	}
	return last, true
}

// during runs clients beside do, and checks that nothing is lost.
func (w *moving) during(do func()) {
	w.t.Helper()
	ctx, stop := context.WithCancel(w.t.Context())
	watching, stopWatching := context.WithCancel(w.t.Context())
	defer stop()
	defer stopWatching()
	var writers, watchers sync.WaitGroup
	for n := range 4 {
		writers.Go(func() { w.write(ctx, n) })
	}
	for range 2 {
		writers.Go(func() { w.read(ctx) })
	}
	known, lists := make([]map[string]ack, 4), atomic.Int64{}
	for n := range known {
		watchers.Go(func() {
			k, l := w.follow(w.t.Context(), watching, n%len(w.servers))
			known[n] = k
			lists.Add(int64(l))
		})
	}
	w.await("writes", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.acks > 200
	})
	do()
	w.mu.Lock()
	before := w.acks
	w.mu.Unlock()
	w.await("writes after the move", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.acks > before+200
	})
	stop()
	writers.Wait()
	finals := w.finals()
	time.Sleep(500 * time.Millisecond)
	stopWatching()
	watchers.Wait()
	for n, k := range known {
		for name, final := range finals {
			if k[name] != final {
				w.t.Errorf("follower %d knows %s as %+v, and it is %+v", n, name, k[name], final)
			}
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for name, a := range w.acked {
		if finals[name].revision < a.revision || finals[name].revision == a.revision && finals[name].color != a.color {
			w.t.Errorf("%s is %+v, after %+v was acknowledged", name, finals[name], a)
		}
	}
	w.t.Logf("%d writes were acknowledged; the longest time in which one writer was refused is %v; %d lists of 4 followers", w.acks, w.refused, lists.Load())
}

func (w *moving) finals() map[string]ack {
	_, answer, err := w.do(w.t.Context(), 0, http.MethodGet, widgetsPath, "", "")
	if err != nil {
		w.t.Fatal(err)
	}
	var list struct {
		Items []widgetView `json:"items"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		w.t.Fatal(err)
	}
	all := map[string]ack{}
	for _, item := range list.Items {
		all[item.Metadata.Name] = ack{item.Spec.Color, revisionOf(w.t, item.Metadata.ResourceVersion)}
	}
	return all
}

func (w *moving) await(what string, is func() bool) {
	w.t.Helper()
	for begin := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			w.t.Fatalf("no %s within a minute", what)
		}
	}
}

// TestMoveWhileServing: widgets move to another etcd and back while clients of two servers write,
// read and follow them. Nothing that was acknowledged is lost, and no resourceVersion goes back.
func TestMoveWhileServing(t *testing.T) {
	w := newMoving(t, 2)
	other, etcd := outerEtcd(t)
	for _, to := range []string{other, "main"} {
		w.during(func() {
			says, err := w.move(to, "")
			if err != nil {
				t.Errorf("%s\n%v", says, err)
			}
			t.Log(says)
		})
	}
	if got, err := etcd.Client().Get(t.Context(), programtest.Prefix+"default/w0-0"); err != nil || got.Count != 0 {
		t.Errorf("%v of it is left in the other etcd, %v", got, err)
	}
}

// steps are what a move says. Where it was stopped behind one of them, the next has begun, or not.
var steps = []string{"are being moved from", "were copied", "are ready", "nobody reads or writes", "both etcds", "were moved;"}

// TestMoveKilled: a move that is stopped behind any step goes on when it is run again, or is
// undone, while clients use the servers.
func TestMoveKilled(t *testing.T) {
	w := newMoving(t, 2)
	other, _ := outerEtcd(t)
	w.during(func() {
		from, to := "main", other
		for _, step := range steps {
			if says, err := w.move(to, step); err == nil {
				t.Errorf("%q: it was not stopped:\n%s", step, says)
			}
			if step != steps[len(steps)-1] {
				if says, err := w.move(from, ""); err != nil || !strings.Contains(says, "as before") {
					t.Errorf("%q: undone: %v\n%s", step, err, says)
				}
				if says, err := w.move(to, step); err == nil {
					t.Errorf("%q: it was not stopped:\n%s", step, says)
				}
			}
			if says, err := w.move(to, ""); err != nil {
				t.Errorf("%q: again: %v\n%s", step, err, says)
			}
			from, to = to, from
		}
	})
}

// TestMoveRefused: a server that does not go along is named, and the move does not begin.
func TestMoveRefused(t *testing.T) {
	w := newMoving(t, 1)
	other, _ := outerEtcd(t)
	runningServer(t, programtest.Widgets(), func(o *program.Options) {
		o.Store.InMemory, o.Store.EtcdServers, o.Store.WatchCache = false, []string{w.main}, false
	})
	says, err := w.move(other, "")
	if err == nil {
		t.Fatalf("it moved:\n%s", says)
	}
	wantText(t, err.Error(), "does not go along", "without --watch-cache", "stop it first")
	status, answer, err := w.do(t.Context(), 0, http.MethodPost, widgetsPath, "application/json", aWidget)
	if err != nil || status != http.StatusCreated {
		t.Errorf("a write beside that: %d %s %v", status, answer, err)
	}
}
