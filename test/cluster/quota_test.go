package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
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
	crowdPath    = "/api/v1/namespaces/crowd/"
	configMaps   = crowdPath + "configmaps"
	quotaPath    = crowdPath + "resourcequotas"
)

// scopes are quotas of pods and claims that change their scopes.
var scopes = map[string]map[string]any{
	"ends":     {"hard": map[string]string{"count/pods": "4"}, "scopes": []string{"Terminating"}},
	"lasts":    {"hard": map[string]string{"count/pods": "9"}, "scopes": []string{"NotTerminating"}},
	"golden":   {"hard": map[string]string{"count/persistentvolumeclaims": "4"}, "scopeSelector": classes("In", "gold")},
	"ungolden": {"hard": map[string]string{"count/persistentvolumeclaims": "9"}, "scopeSelector": classes("NotIn", "gold")},
}

func classes(operator string, values ...string) map[string]any {
	return map[string]any{"matchExpressions": []any{map[string]any{"scopeName": "VolumeAttributesClass", "operator": operator, "values": values}}}
}

// TestQuota has many writers create and delete through two servers, of which one is killed in the
// middle of it. Then it reads every revision that etcd has seen: there were never more objects than
// the quota allows, and it always said how many. Pods and claims move between scopes meanwhile.
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
	for name, spec := range scopes {
		must(http.MethodPost, quotaPath, map[string]any{"metadata": map[string]any{"name": name}, "spec": spec})
	}
	must(http.MethodPost, quotaPath, limited("limit", map[string]string{"configmaps": strconv.Itoa(*quotaLimit)}))

	c := &crowd{servers: []*server{doomed, stays}}
	c.left.Store(int64(*quotaAttempts))
	var wg sync.WaitGroup
	for w := range quotaWriters {
		wg.Go(func() { c.write(t, w) })
	}
	for w := range quotaWriters / 4 {
		wg.Go(func() { c.move(t, w) })
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
	h := readCrowd(t, etcd.Members()[0])
	if h.last != *quotaLimit || h.most > *quotaLimit {
		t.Errorf("%d config maps in the end and %d at most, want %d", h.last, h.most, *quotaLimit)
	}
	if h.moved == 0 {
		t.Error("no object has moved between scopes")
	}
	t.Logf("%d created, %d deleted, %d refused, %d unknown, %d more in the end; %d revisions with at most %d config maps, %d moves between scopes",
		c.created.Load(), c.deleted.Load(), c.refused.Load(), c.unknown.Load(), more.Load(), h.revisions, h.most, h.moved)
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

// move creates a pod and a claim, moves them into other scopes, and deletes them, in turns.
func (c *crowd) move(t *testing.T, w int) {
	pod := named(fmt.Sprint("p", w))
	pod["spec"] = map[string]any{"containers": []any{map[string]any{"name": "c", "image": "i"}}}
	claim := named(fmt.Sprint("c", w))
	claim["spec"] = map[string]any{"accessModes": []string{"ReadWriteOnce"}, "resources": map[string]any{"requests": map[string]any{"storage": "1Gi"}}}
	pods, claims := crowdPath+"pods", crowdPath+"persistentvolumeclaims"
	thePod, theClaim := pods+"/"+fmt.Sprint("p", w), claims+"/"+fmt.Sprint("c", w)
	steps := []struct {
		method, path string
		body         any
	}{
		{http.MethodPost, pods, pod},
		{http.MethodPatch, thePod, map[string]any{"spec": map[string]any{"activeDeadlineSeconds": 5000}}},
		{http.MethodDelete, thePod, nil},
		{http.MethodPost, claims, claim},
		{http.MethodPatch, theClaim + "/status", map[string]any{"status": map[string]any{"phase": "Bound", "currentVolumeAttributesClassName": "tin"}}},
		{http.MethodPatch, theClaim, map[string]any{"spec": map[string]any{"volumeAttributesClassName": "gold"}}},
		{http.MethodDelete, theClaim, nil},
	}
	for i := w; c.left.Load() > 0; i++ {
		step := steps[i%len(steps)]
		switch code, answer := c.server(i/len(steps)).send(t, step.method, step.path, step.body); code {
		case 0, http.StatusOK, http.StatusCreated, http.StatusForbidden, http.StatusNotFound, http.StatusConflict:
		default:
			t.Errorf("%s %s: %d %s", step.method, step.path, code, answer)
		}
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
	contentType := "application/json"
	if method == http.MethodPatch {
		contentType = "application/merge-patch+json"
	}
	code, answer, err := s.do(ctx, method, path, contentType, data)
	if err != nil {
		return 0, err.Error()
	}
	return code, string(answer)
}

// stored is what quotas see of an object, and what a quota states.
type stored struct {
	Spec struct {
		ActiveDeadlineSeconds     int
		VolumeAttributesClassName string
		Hard                      map[string]string
		Scopes                    []string
		ScopeSelector             struct {
			MatchExpressions []struct{ Operator string }
		}
	}
	Status struct {
		CurrentVolumeAttributesClassName string
		Used                             map[string]string
	}
}

// in reports whether an object is in the scopes of a quota, which is one of those above.
func (o *stored) in(quota *stored) bool {
	if expressions := quota.Spec.ScopeSelector.MatchExpressions; len(expressions) > 0 {
		wants, has := o.Spec.VolumeAttributesClassName, o.Status.CurrentVolumeAttributesClassName
		if expressions[0].Operator == "In" {
			return wants == "gold" || has == "gold"
		}
		return wants == "tin" || has == "tin" || wants == "" && has == ""
	}
	return len(quota.Spec.Scopes) == 0 || (o.Spec.ActiveDeadlineSeconds > 0) == (quota.Spec.Scopes[0] == "Terminating")
}

// scope returns what decides the scopes of an object.
func (o *stored) scope() [3]string {
	return [3]string{strconv.Itoa(o.Spec.ActiveDeadlineSeconds), o.Spec.VolumeAttributesClassName, o.Status.CurrentVolumeAttributesClassName}
}

// crowdHistory is what readCrowd has seen: how many revisions, how many config maps at most and in
// the end, and how many changes of an object's scope.
type crowdHistory struct{ revisions, most, last, moved int }

// readCrowd compares the objects of every revision with the quotas of that revision.
func readCrowd(t *testing.T, m *etcdproc.Member) (h crowdHistory) {
	t.Helper()
	objects, quotas, at := map[string]map[string]*stored{}, map[string]*stored{}, int64(0)
	compare := func() {
		h.revisions++
		h.last = len(objects["configmaps"])
		h.most = max(h.most, h.last)
		for name, quota := range quotas {
			for resource, says := range quota.Status.Used {
				n := 0
				for _, o := range objects[strings.TrimPrefix(resource, "count/")] {
					if o.in(quota) {
						n++
					}
				}
				if says = strings.Replace(says, "k", "000", 1); says != strconv.Itoa(n) { // a thousand is 1k
					t.Fatalf("revision %d: quota %s says %s=%s, there are %d", at, name, resource, says, n)
				}
				if limit, err := strconv.Atoi(quota.Spec.Hard[resource]); err == nil && n > limit {
					t.Fatalf("revision %d: quota %s allows %s=%d, there are %d", at, name, resource, limit, n)
				}
			}
		}
	}
	readChanges(t, m, "/registry/", func(key string, revision int64, deleted bool, value []byte) {
		parts := strings.Split(strings.TrimPrefix(key, "/registry/"), "/")
		if len(parts) != 3 || parts[1] != "crowd" {
			return
		}
		if at != revision && at != 0 {
			compare()
		}
		at = revision
		kept := quotas
		if plural := parts[0]; plural != "resourcequotas" {
			if objects[plural] == nil {
				objects[plural] = map[string]*stored{}
			}
			kept = objects[plural]
		}
		if deleted {
			delete(kept, key)
			return
		}
		o := new(stored)
		if err := json.Unmarshal(value, o); err != nil || parts[0] == "resourcequotas" && len(o.Status.Used) != 1 {
			t.Fatalf("revision %d: %s is %s: %v", revision, key, value, err)
		}
		if before := kept[key]; before != nil && before.scope() != o.scope() {
			h.moved++
		}
		kept[key] = o
	})
	compare()
	return h
}

// readChanges tells each of all changes below a prefix up to now, by the member itself.
func readChanges(t *testing.T, m *etcdproc.Member, prefix string, each func(key string, revision int64, deleted bool, value []byte)) {
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
			each(string(e.Kv.Key), e.Kv.Revision, e.Type == "DELETE", e.Kv.Value)
		}
	}
}
