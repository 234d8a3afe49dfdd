package cluster

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/etcdproc"
)

var garbageOwners = flag.Int("garbage-owners", 120, "how many objects own others in TestGarbageCollectorIsFollowed")

const (
	ownersPath     = "/api/v1/namespaces/default/configmaps"
	dependentsPath = "/api/v1/namespaces/default/secrets"
	dependents     = 10 // of each owner
	holding        = "test.example.com/held"
)

// The parts that dependents have beside their number. The first one owns a further object.
const (
	shared = 1 // has another owner, who stays
	held   = 2 // has a finalizer, so that the collection can't be over
)

// TestGarbageCollectorIsFollowed takes the collector of three servers away in the middle of its
// work. It kills it. In the long form it also sends a signal, and freezes it, so that it thinks for
// a while that it still leads. The next one ends the work. Nothing goes that should live, and
// nothing is left.
func TestGarbageCollectorIsFollowed(t *testing.T) {
	t.Parallel()
	g := newGarbage(t)
	g.make()
	ends := []func(*server){(*server).Kill}
	if !testing.Short() {
		ends = append(ends, (*server).freeze, func(s *server) { s.Cmd.Process.Signal(syscall.SIGTERM) })
	}
	for round, end := range ends {
		g.deleteOwners(round, len(ends))
		g.awaitProgress()
		leader := g.leader()
		end(leader)
		g.running = slices.DeleteFunc(g.running, func(s *server) bool { return s == leader })
		g.running = append(g.running, g.start())
		g.release(round, len(ends))
		g.awaitEnd(round, len(ends))
	}
	g.compare()
}

// freeze stops a server for longer than its lease is good, and lets it go on.
func (s *server) freeze() {
	s.Cmd.Process.Signal(syscall.SIGSTOP)
	time.AfterFunc(25*time.Second, func() { s.Cmd.Process.Signal(syscall.SIGCONT) })
}

// garbage is three servers with objects that own others.
type garbage struct {
	*testing.T
	start   func() *server
	running []*server
	uids    sync.Map // of owners and dependents that own, by path
	left    int      // dependents there were when the last owners were deleted
}

func newGarbage(t *testing.T) *garbage {
	etcd := startEtcd(t, etcdproc.Config{Members: 1})
	program := buildCluster(t)
	secret := secretFile(t)
	g := &garbage{T: t, start: func() *server {
		return startProgram(t, program, "--etcd-servers", etcd.Endpoints()[0], "--cluster-secret-file", secret)
	}}
	for range 3 {
		g.running = append(g.running, g.start())
	}
	return g
}

// policies are what happens to owners, in turn; "" stays.
var policies = []string{"Background", "Foreground", "Orphan", ""}

func policyOf(owner int) string { return policies[owner%len(policies)] }

func ownerName(i int) string        { return fmt.Sprintf("owner-%d", i) }
func dependentName(i, j int) string { return fmt.Sprintf("owner-%d-%d", i, j) }

// roundOf is in which round an owner is deleted.
func roundOf(owner, rounds int) int { return owner / len(policies) % rounds }

// make creates everything.
func (g *garbage) make() {
	g.put(ownersPath, "keeper", nil, nil)
	g.each(func(i int) {
		labels := map[string]string{"owner": policyOf(i)}
		g.put(ownersPath, ownerName(i), labels, nil)
		for j := range dependents {
			owners := []string{ownersPath + "/" + ownerName(i)}
			if j == shared {
				owners = append(owners, ownersPath+"/keeper")
			}
			var finalizers []string
			if j == held && policyOf(i) == "Foreground" {
				finalizers = []string{holding}
			}
			g.put(dependentsPath, dependentName(i, j), nil, finalizers, owners...)
		}
		g.put(dependentsPath, dependentName(i, 0)+"-below", nil, nil, dependentsPath+"/"+dependentName(i, 0))
	})
}

// each calls f with every owner, from some goroutines.
func (g *garbage) each(f func(owner int)) {
	var all sync.WaitGroup
	for first := range 8 {
		all.Go(func() {
			for i := first; i < *garbageOwners; i += 8 {
				f(i)
			}
		})
	}
	all.Wait()
}

// put creates an object whose owners are at some paths.
func (g *garbage) put(path, name string, labels map[string]string, finalizers []string, owners ...string) {
	var refs []map[string]any
	for _, owner := range owners {
		kind := "ConfigMap"
		if strings.HasPrefix(owner, dependentsPath) {
			kind = "Secret"
		}
		uid, _ := g.uids.Load(owner)
		refs = append(refs, map[string]any{"apiVersion": "v1", "kind": kind, "name": filepath.Base(owner), "uid": uid, "blockOwnerDeletion": true})
	}
	code, answer := g.running[0].send(g.T, http.MethodPost, path, map[string]any{"metadata": map[string]any{"name": name, "labels": labels, "finalizers": finalizers, "ownerReferences": refs}})
	var made struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal([]byte(answer), &made); code != http.StatusCreated || err != nil {
		g.Errorf("create %s: %d %s", name, code, answer)
	}
	g.uids.Store(path+"/"+name, made.Metadata.UID)
}

// deleteOwners deletes those of a round, by a server that does not collect.
func (g *garbage) deleteOwners(round, rounds int) {
	leader := g.leader()
	by := g.running[slices.IndexFunc(g.running, func(s *server) bool { return s != leader })]
	g.left = g.count()
	g.each(func(i int) {
		if policyOf(i) == "" || roundOf(i, rounds) != round {
			return
		}
		path := ownersPath + "/" + ownerName(i) + "?propagationPolicy=" + policyOf(i)
		if code, answer := by.send(g.T, http.MethodDelete, path, nil); code != http.StatusOK {
			g.Errorf("delete %s: %d %s", path, code, answer)
		}
	})
}

// leader is the server that collects.
func (g *garbage) leader() (leader *server) {
	g.eventually("no server collects", seldom, func() bool {
		for _, s := range g.running {
			_, page := s.send(g.T, http.MethodGet, "/metrics", nil)
			if _, known, ok := strings.Cut(page, "\ntypeplane_garbage_objects "); ok && known[0] != '0' {
				leader = s
			}
		}
		return leader != nil
	})
	return leader
}

// awaitProgress waits until something was collected. What is held is not, so there is more to do.
func (g *garbage) awaitProgress() {
	g.eventually("nothing is collected", 5*time.Millisecond, func() bool { return g.count() < g.left })
}

// seldom is how often everything is looked at.
const seldom = 250 * time.Millisecond

// eventually looks again and again until something is so.
func (g *garbage) eventually(what string, pause time.Duration, so func() bool) {
	for end := time.Now().Add(3 * time.Minute); !so(); time.Sleep(pause) {
		if time.Now().After(end) {
			g.Fatal(what)
		}
	}
}

// count is how many dependents there are.
func (g *garbage) count() int {
	var list struct {
		Metadata struct{ RemainingItemCount int }
	}
	code, answer := g.running[0].send(g.T, http.MethodGet, dependentsPath+"?limit=1", nil)
	if err := json.Unmarshal([]byte(answer), &list); code != http.StatusOK || err != nil {
		g.Fatalf("count: %d %s", code, answer)
	}
	return list.Metadata.RemainingItemCount
}

// list returns the owners of each object, by its name.
func (g *garbage) list(path string) map[string][]string {
	ctx, cancel := context.WithTimeout(g.Context(), time.Minute)
	defer cancel()
	code, answer, err := g.running[0].do(ctx, http.MethodGet, path, "", nil)
	var list struct {
		Items []struct {
			Metadata struct {
				Name            string
				OwnerReferences []struct{ Name string }
			}
		}
	}
	if err == nil {
		err = json.Unmarshal(answer, &list)
	}
	if err != nil || code != http.StatusOK {
		g.Fatalf("%s: %d %v", path, code, err)
	}
	owners := map[string][]string{}
	for _, item := range list.Items {
		owners[item.Metadata.Name] = []string{}
		for _, ref := range item.Metadata.OwnerReferences {
			owners[item.Metadata.Name] = append(owners[item.Metadata.Name], ref.Name)
		}
	}
	return owners
}

// release takes the finalizers off what was held in a round.
func (g *garbage) release(round, rounds int) {
	g.each(func(i int) {
		if policyOf(i) != "Foreground" || roundOf(i, rounds) != round {
			return
		}
		path := dependentsPath + "/" + dependentName(i, held)
		if code, answer := g.running[0].patch(g.T, path, `{"metadata":{"finalizers":null}}`); code != http.StatusOK {
			g.Errorf("patch %s: %d %s", path, code, answer)
		}
	})
}

func (s *server) patch(t *testing.T, path, body string) (int, string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	code, answer, err := s.do(ctx, http.MethodPatch, path, "application/merge-patch+json", []byte(body))
	return code, fmt.Sprint(string(answer), err)
}

// awaitEnd waits until all owners of a round are gone, and all that has to go with them.
func (g *garbage) awaitEnd(round, rounds int) {
	g.eventually("the next server has not collected everything", seldom, func() bool {
		owners, left := g.list(ownersPath), g.list(dependentsPath)
		for i := range *garbageOwners {
			if roundOf(i, rounds) <= round && !g.over(i, owners, left) {
				return false
			}
		}
		return true
	})
}

// over says whether all has become of an owner that has to.
func (g *garbage) over(owner int, owners, left map[string][]string) bool {
	_, there := owners[ownerName(owner)]
	if there != (policyOf(owner) == "") {
		return false
	}
	for name, want := range expected(owner) {
		if got, there := left[name]; there != (want != nil) || !slices.Equal(got, want) {
			return false
		}
	}
	return true
}

// expected is what happens to the dependents of an owner: their owners by their names, nil for what
// goes.
func expected(owner int) map[string][]string {
	want := map[string][]string{dependentName(owner, 0) + "-below": {dependentName(owner, 0)}}
	for j := range dependents {
		want[dependentName(owner, j)] = []string{}
	}
	want[dependentName(owner, shared)] = []string{"keeper"}
	switch policyOf(owner) {
	case "":
		for j := range dependents {
			want[dependentName(owner, j)] = slices.Insert(want[dependentName(owner, j)], 0, ownerName(owner))
		}
	case "Background", "Foreground":
		for name := range want {
			if name != dependentName(owner, shared) {
				want[name] = nil
			}
		}
	}
	return want
}

// compare wants everything to be as it should once no server has anything to do any more, which is
// when an object made now is collected.
func (g *garbage) compare() {
	g.uids.Store(ownersPath+"/never", "never-was")
	g.put(dependentsPath, "last", nil, nil, ownersPath+"/never")
	g.eventually("nobody collects any more", seldom, func() bool {
		_, there := g.list(dependentsPath)["last"]
		return !there
	})
	owners, left := g.list(ownersPath), g.list(dependentsPath)
	all := 0
	for i := range *garbageOwners {
		if !g.over(i, owners, left) {
			g.Errorf("owner %d, deleted %q: there is %v", i, policyOf(i), left)
		}
		for _, want := range expected(i) {
			if want != nil {
				all++
			}
		}
	}
	if len(left) != all {
		g.Errorf("%d dependents are left, want %d", len(left), all)
	}
}
