package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

var (
	quotaAttempts = flag.Int("quota-attempts", 1000, "how many objects TestQuota tries to create")
	quotaLimit    = flag.Int("quota-limit", 150, "how many its quota allows")
)

const (
	quotaWriters = 64
	configMaps   = "/api/v1/namespaces/crowd/configmaps"
	quotaPath    = "/api/v1/namespaces/crowd/resourcequotas"
)

// TestQuota has many writers create and delete through two servers, of which one is killed in the
// middle of it. Then it reads every revision that etcd has seen: there were never more objects than
// the quota allows, and it always said how many.
func TestQuota(t *testing.T) {
	t.Parallel()
	program := buildCluster(t)
	etcd := startEtcd(t, etcdproc.Config{Members: 1})
	args := []string{"--etcd-servers", strings.Join(etcd.Endpoints(), ","), "--etcd-compaction-interval", "0", "--storage-media-type", "application/json"}
	doomed, stays := startProgram(t, program, args...), startProgram(t, program, args...)

	must := func(method, path string, body any) {
		t.Helper()
		if code, answer := stays.send(t, method, path, body); code/100 != 2 {
			t.Fatalf("%s %s: %d %s", method, path, code, answer)
		}
	}
	must(http.MethodPost, "/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": "crowd"}})
	limited := func(name string, hard map[string]string) map[string]any {
		return map[string]any{"metadata": map[string]any{"name": name}, "spec": map[string]any{"hard": hard}}
	}
	must(http.MethodPost, quotaPath, limited("limit", map[string]string{"configmaps": strconv.Itoa(*quotaLimit)}))

	c := &crowd{servers: []*server{doomed, stays}}
	c.left.Store(int64(*quotaAttempts))
	var wg sync.WaitGroup
	for w := range quotaWriters {
		wg.Go(func() { c.write(t, w) })
	}
	// Other quotas come and go meanwhile, the last ones by a server that dies over it.
	wg.Go(func() {
		for i := 0; c.left.Load() > 0; i++ {
			path := quotaPath + "/other"
			s := c.server(i)
			s.send(t, http.MethodPost, quotaPath, limited("other", map[string]string{"count/configmaps": "1000000"}))
			s.send(t, http.MethodDelete, path, nil)
			time.Sleep(100 * time.Millisecond)
		}
	})
	for c.left.Load() > int64(*quotaAttempts)/2 {
		time.Sleep(5 * time.Millisecond)
	}
	doomed.Kill()
	c.dead.Store(true)
	wg.Wait()
	stays.send(t, http.MethodDelete, quotaPath+"/other", nil)

	// Whoever goes on gets exactly to the limit.
	var more atomic.Int64
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				code, answer := stays.send(t, http.MethodPost, configMaps, named(fmt.Sprintf("last-%d-%d", w, i)))
				if code == http.StatusForbidden {
					return
				}
				if code != http.StatusCreated {
					t.Errorf("create: %d %s", code, answer)
					return
				}
				more.Add(1)
			}
		})
	}
	wg.Wait()
	revisions, most, last := readCrowd(t, etcd.Members()[0])
	if last != *quotaLimit || most > *quotaLimit {
		t.Errorf("%d objects in the end and %d at most, want %d", last, most, *quotaLimit)
	}
	t.Logf("%d created, %d deleted, %d refused, %d unknown, %d more in the end; %d revisions with at most %d objects",
		c.created.Load(), c.deleted.Load(), c.refused.Load(), c.unknown.Load(), more.Load(), revisions, most)
}

// crowd are many writers.
type crowd struct {
	servers                            []*server // the first is the one that dies
	dead                               atomic.Bool
	left                               atomic.Int64 // attempts to create
	created, deleted, refused, unknown atomic.Int64
}

func (c *crowd) server(i int) *server {
	if c.dead.Load() {
		return c.servers[1]
	}
	return c.servers[i%2]
}

// write creates, and deletes one in four of what it has created, and one in the end.
func (c *crowd) write(t *testing.T, w int) {
	var mine []string
	remove := func() {
		switch code, answer := c.server(w).send(t, http.MethodDelete, configMaps+"/"+mine[0], nil); {
		case code == http.StatusOK:
			c.deleted.Add(1)
		case code == 0:
			c.unknown.Add(1)
		default:
			t.Errorf("delete %s: %d %s", mine[0], code, answer)
		}
		mine = mine[1:]
	}
	for i := 0; c.left.Add(-1) >= 0; i++ {
		if len(mine) > 0 && rand.N(4) == 0 {
			remove()
		}
		name := fmt.Sprintf("w%d-%d", w, i)
		switch code, answer := c.server(w).send(t, http.MethodPost, configMaps, named(name)); {
		case code == http.StatusCreated:
			c.created.Add(1)
			mine = append(mine, name)
		case code == http.StatusForbidden && strings.Contains(answer, "exceeded quota: limit, requested: configmaps=1, used: configmaps="):
			c.refused.Add(1)
		case code == 0:
			c.unknown.Add(1) // the server died over it
		default:
			t.Errorf("create %s: %d %s", name, code, answer)
		}
	}
	if len(mine) > 0 {
		remove()
	}
}

func named(name string) map[string]any {
	return map[string]any{"metadata": map[string]any{"name": name}}
}

// send returns the answer, 0 for none.
func (s *server) send(t *testing.T, method, path string, body any) (int, string) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			t.Error(err)
		}
	}
	code, answer, err := s.do(ctx, method, path, "application/json", data)
	if err != nil {
		return 0, err.Error()
	}
	return code, string(answer)
}

// step is what a revision did to the objects and to the quotas: of those, what each says is used,
// "" for one that went.
type step struct {
	objects int
	quotas  map[string]string
}

// readCrowd compares the objects of every revision with the quotas of that revision. It returns how
// many revisions there were, and how many objects at most and in the end.
func readCrowd(t *testing.T, m *etcdproc.Member) (revisions, most, last int) {
	t.Helper()
	steps := map[int64]*step{}
	readChanges(t, m, "/registry/", func(key string, revision int64, created, deleted bool, value []byte) {
		s := steps[revision]
		if s == nil {
			s = &step{quotas: map[string]string{}}
			steps[revision] = s
		}
		switch {
		case strings.HasPrefix(key, "/registry/configmaps/crowd/") && deleted:
			s.objects--
		case strings.HasPrefix(key, "/registry/configmaps/crowd/") && created:
			s.objects++
		case strings.HasPrefix(key, "/registry/resourcequotas/crowd/") && deleted:
			s.quotas[key] = ""
		case strings.HasPrefix(key, "/registry/resourcequotas/crowd/"):
			var quota struct {
				Status struct{ Used map[string]string }
			}
			if err := json.Unmarshal(value, &quota); err != nil || len(quota.Status.Used) != 1 {
				t.Fatalf("revision %d: a quota without a status: %s %v", revision, value, err)
			}
			for _, used := range quota.Status.Used {
				s.quotas[key] = strings.Replace(used, "k", "000", 1) // a thousand is 1k
			}
		}
	})
	used := map[string]string{}
	for _, revision := range slices.Sorted(maps.Keys(steps)) {
		last += steps[revision].objects
		maps.Copy(used, steps[revision].quotas)
		for key, says := range used {
			if says != "" && says != strconv.Itoa(last) {
				t.Fatalf("revision %d: %s says %s are used, there are %d", revision, key, says, last)
			}
		}
		most = max(most, last)
	}
	return len(steps), most, last
}

// readChanges tells each of all changes below a prefix up to now, by the member itself.
func readChanges(t *testing.T, m *etcdproc.Member, prefix string, each func(key string, revision int64, created, deleted bool, value []byte)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var end struct {
		Header struct {
			Revision int64 `json:",string"`
		}
	}
	// A write of our own is the last change that is read.
	mark := []byte(prefix + "the-end")
	if err := m.Call(ctx, "/v3/kv/put", map[string]any{"key": mark, "value": []byte("x")}, &end); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"create_request": map[string]any{"key": []byte(prefix), "range_end": after(prefix), "start_revision": "1"}})
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", m.Socket())
	}}}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd/v3/watch", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	for decoder := json.NewDecoder(resp.Body); ; {
		var message struct {
			Result struct {
				Canceled bool
				Events   []struct {
					Type string
					Kv   struct {
						Key, Value []byte
						Created    int64 `json:"create_revision,string"`
						Revision   int64 `json:"mod_revision,string"`
					}
				}
			}
		}
		if err := decoder.Decode(&message); err != nil || message.Result.Canceled {
			t.Fatalf("%s: the history ends: %+v %v", m.Name(), message, err)
		}
		for _, e := range message.Result.Events {
			if bytes.Equal(e.Kv.Key, mark) {
				return
			}
			each(string(e.Kv.Key), e.Kv.Revision, e.Kv.Created == e.Kv.Revision, e.Type == "DELETE", e.Kv.Value)
		}
	}
}
