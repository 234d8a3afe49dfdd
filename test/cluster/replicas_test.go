package cluster

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
	"github.com/typeplane/typeplane/internal/testserver"
)

var (
	replicasFor  = flag.Duration("replicas-for", 15*time.Second, "how long TestReplicas kills servers")
	replicaKills = flag.Duration("replica-kills", 5*time.Second, "how long it waits from one kill to the next")
)

// TestReplicas puts a plain TCP balancer before three servers with the same secret, of which one is
// killed again and again and comes back with an empty data directory. Clients see broken
// connections, and nothing else: no 401, no wrong answer, no watch that is told to begin anew twice
// for one kill.
func TestReplicas(t *testing.T) {
	etcd := startEtcd(t, etcdproc.Config{Members: 1})
	secret := secretFile(t)
	replica := func() *server {
		return startServer(t, "--etcd-servers", etcd.Endpoints()[0], "--cluster-secret-file", secret)
	}
	b, err := testserver.NewBalancer()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	var running []*server
	for n := range 3 {
		running = append(running, replica())
		b.Point(n, running[n].URL)
	}
	crowd := &clients{t: t, balancer: b, transport: running[0].Client.Transport.(*http.Transport)}
	var followers []*follower
	for range 20 {
		followers = append(followers, &follower{clients: crowd, client: crowd.client(), known: map[string]string{}})
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all sync.WaitGroup
	for _, f := range followers {
		all.Go(func() { f.run(ctx) })
	}
	for n := range 4 {
		all.Go(func() { crowd.write(ctx, fmt.Sprint("of-writer-", n)) })
	}
	kills := 0
	for begun := time.Now(); time.Since(begun) < *replicasFor; kills++ {
		time.Sleep(*replicaKills)
		crowd.kills.Add(1)
		n := kills % len(running)
		running[n].Kill()
		running[n] = replica()
		b.Point(n, running[n].URL)
	}
	stop()
	all.Wait()
	crowd.compare(followers)
	t.Logf("%d kills, %d writes, %d watches went on, %d lists after a 410", kills, crowd.writes.Load(), crowd.resumed.Load(), crowd.relists.Load())
	if crowd.writes.Load() == 0 || crowd.resumed.Load() == 0 {
		t.Error("nothing was written, or no watch was broken: the test shows nothing")
	}
}

// secretFile has what all replicas of a test are given.
func secretFile(t *testing.T) string {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("what all replicas of this test are given"), 0o600); err != nil {
		t.Fatal(err)
	}
	return secret
}

// clients are those behind the balancer.
type clients struct {
	t         *testing.T
	balancer  *testserver.Balancer
	transport *http.Transport
	kills     atomic.Int64
	writes    atomic.Int64
	resumed   atomic.Int64
	relists   atomic.Int64
}

// client has connections of its own, with the administrator's certificate of the first server.
func (c *clients) client() *http.Client {
	transport := c.transport.Clone()
	c.t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// do sends a request through the balancer. An error is that of a connection; a code that is no
// answer to the request fails the test, except for one of a server that begins or ends.
func (c *clients) do(ctx context.Context, client *http.Client, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.balancer.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	switch resp.StatusCode {
	case http.StatusServiceUnavailable, http.StatusTooManyRequests:
		resp.Body.Close()
		return nil, fmt.Errorf("%s: not now", resp.Status)
	case http.StatusUnauthorized, http.StatusForbidden:
		c.t.Errorf("%s %s: %s", method, path, resp.Status)
	}
	return resp, nil
}

// answer is do with the whole of the answer.
func (c *clients) answer(ctx context.Context, client *http.Client, method, path string, body []byte) (code int, got bookObject, err error) {
	resp, err := c.do(ctx, client, method, path, body)
	if err != nil {
		return 0, got, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, got, json.NewDecoder(resp.Body).Decode(&got)
}

type bookObject struct {
	Code     int
	Metadata struct{ Name, ResourceVersion string }
	Spec     struct{ Copies int }
	Items    []bookObject
}

// write counts up one book. Each read after an acknowledged write, from whichever server, must show
// that write or a later one.
func (c *clients) write(ctx context.Context, name string) {
	client, pause := c.client(), 20*time.Millisecond
	body := fmt.Appendf(nil, `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":%q},"spec":{"title":%[1]q,"author":"A","isbn":"978-0134190440","copies":0}}`, name)
	for ctx.Err() == nil {
		code, _, err := c.answer(ctx, client, http.MethodPost, books, body)
		if err == nil && (code == http.StatusCreated || code == http.StatusConflict) {
			break
		}
		if err == nil {
			c.t.Errorf("create %s: %d", name, code)
			return
		}
		time.Sleep(pause)
	}
	for n := 1; ctx.Err() == nil; time.Sleep(pause) {
		code, _, err := c.answer(ctx, client, http.MethodPatch, books+"/"+name, fmt.Appendf(nil, `{"spec":{"copies":%d}}`, n))
		if err != nil {
			client.CloseIdleConnections()
			continue // it may have happened, and is done again
		}
		if code != http.StatusOK {
			c.t.Errorf("write %s: %d", name, code)
			return
		}
		c.writes.Add(1)
		client.CloseIdleConnections() // so that another server is asked
		code, got, err := c.answer(ctx, client, http.MethodGet, books+"/"+name, nil)
		if err == nil && (code != http.StatusOK || got.Spec.Copies != n) {
			c.t.Errorf("%s has %d copies (%d), and %d were acknowledged", name, got.Spec.Copies, code, n)
		}
		n++
	}
}

// follower is an informer: it lists once, and watches from there on.
type follower struct {
	*clients
	client   *http.Client
	revision string
	known    map[string]string
	listed   int64 // for which kill it listed last
}

func (f *follower) run(ctx context.Context) {
	for ctx.Err() == nil {
		if f.revision == "" && f.list(ctx) != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		f.watch(ctx)
		f.client.CloseIdleConnections()
	}
}

func (f *follower) list(ctx context.Context) error {
	code, list, err := f.answer(ctx, f.client, http.MethodGet, books, nil)
	if err != nil || code != http.StatusOK {
		return fmt.Errorf("list: %d %w", code, err)
	}
	clear(f.known)
	for _, item := range list.Items {
		f.known[item.Metadata.Name] = item.Metadata.ResourceVersion
	}
	f.revision = list.Metadata.ResourceVersion
	return nil
}

// watch follows until the connection breaks.
func (f *follower) watch(ctx context.Context) {
	resp, err := f.do(ctx, f.client, http.MethodGet, books+"?watch=true&allowWatchBookmarks=true&resourceVersion="+f.revision, nil)
	if err != nil {
		time.Sleep(20 * time.Millisecond)
		return
	}
	defer resp.Body.Close()
	f.resumed.Add(1)
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event struct {
			Type   string
			Object bookObject
		}
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			return // half of a line
		}
		switch event.Type {
		case "ADDED", "MODIFIED":
			f.known[event.Object.Metadata.Name] = event.Object.Metadata.ResourceVersion
		case "DELETED":
			delete(f.known, event.Object.Metadata.Name)
		case "ERROR":
			f.begin(event.Object.Code)
			return
		}
		f.forward(event.Object.Metadata.ResourceVersion)
	}
}

// forward notes the revision of an event. Time does not go back, whichever server sends it.
func (f *follower) forward(revision string) {
	before, _ := strconv.ParseInt(f.revision, 10, 64)
	now, err := strconv.ParseInt(revision, 10, 64)
	if err != nil || now < before {
		f.t.Errorf("an event of revision %s behind one of %s", revision, f.revision)
	}
	f.revision = revision
}

// begin makes the follower list again, as it was told to: once for a kill at most.
func (f *follower) begin(code int) {
	if code != http.StatusGone {
		f.t.Errorf("a watch ended with code %d", code)
	}
	f.relists.Add(1)
	if kill := f.kills.Load(); f.listed == kill {
		f.t.Errorf("a watch was told twice to begin anew for kill %d", kill)
	} else {
		f.listed = kill
	}
	f.revision = ""
}

// compare says whether each follower knows what is stored, once it has caught up.
func (c *clients) compare(followers []*follower) {
	ctx, cancel := context.WithTimeout(c.t.Context(), time.Minute)
	defer cancel()
	stored := &follower{clients: c, client: c.client(), known: map[string]string{}}
	for stored.list(ctx) != nil {
		time.Sleep(20 * time.Millisecond)
	}
	for n, f := range followers {
		for ctx.Err() == nil && !maps.Equal(f.known, stored.known) {
			turn, done := context.WithTimeout(ctx, time.Second)
			if f.revision == "" {
				f.list(turn)
			} else {
				f.watch(turn)
			}
			done()
		}
		if !maps.Equal(f.known, stored.known) {
			c.t.Errorf("watch %d knows %v, stored is %v", n, f.known, stored.known)
		}
	}
}
