package garbage

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/server/metrics"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// metaOfObject is the metadata of an object as the collector reads it.
func metaOfObject(t testing.TB, meta metav1.ObjectMeta) *wire.Meta {
	t.Helper()
	raw, err := (&metav1.PartialObjectMetadata{ObjectMeta: meta}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	m, err := wire.ReadRawMeta(raw)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

func TestUID(t *testing.T) {
	const one = "0123abcd-0000-4000-8000-00000000000f"
	seen := map[uid]string{}
	for _, text := range []string{one, "0123ABCD-0000-4000-8000-00000000000f", "0123abcd0000-4000-8000-00000000000-f", "", "x", one + "0", one[1:]} {
		id := uidOf(text)
		if other, ok := seen[id]; ok {
			t.Errorf("%q is %q", text, other)
		}
		if id != uidOf(text) {
			t.Errorf("%q is not itself", text)
		}
		seen[id] = text
	}
	if fmt.Sprintf("%x", uidOf(one)) != "0123abcd000040008000"+"00000000000f" {
		t.Errorf("%x", uidOf(one))
	}
}

// TestGraphIsConsistent makes changes at random, and looks whether owners and dependents agree and
// nothing is left in the end.
func TestGraphIsConsistent(t *testing.T) {
	g, random := newGraph(), rand.New(rand.NewPCG(1, 2))
	id := func(i int) types.UID { return types.UID(fmt.Sprintf("uid-%d", i)) }
	const objects = 20
	for range 5000 {
		i := random.IntN(objects)
		if random.IntN(4) == 0 {
			g.remove(uidOf(string(id(i))))
		} else {
			meta := metav1.ObjectMeta{Namespace: "ns", Name: fmt.Sprint("name-", i), UID: id(i)}
			for range random.IntN(4) {
				block := random.IntN(2) == 0
				meta.OwnerReferences = append(meta.OwnerReferences, metav1.OwnerReference{UID: id(random.IntN(objects)), BlockOwnerDeletion: &block})
			}
			if random.IntN(5) == 0 {
				now := metav1.Now()
				meta.DeletionTimestamp, meta.Finalizers = &now, []string{[]string{"orphan", "foregroundDeletion", "other"}[random.IntN(3)]}
			}
			g.put(0, metaOfObject(t, meta), time.Time{})
		}
		for range random.IntN(3) {
			if n := g.first(); n != nil {
				g.done(n, random.IntN(10) == 0)
			}
		}
		checkLinks(t, g)
	}
	for i := range objects {
		g.remove(uidOf(string(id(i))))
	}
	if len(g.nodes)+len(g.others) > 0 {
		t.Errorf("%d nodes and %d others are left of nothing", len(g.nodes), len(g.others))
	}
}

func checkLinks(t *testing.T, g *graph) {
	t.Helper()
	up, down := map[*link]bool{}, map[*link]bool{}
	for id, n := range g.nodes {
		if _, twice := g.others[id]; twice || n.id != id {
			t.Fatal("an object is in the graph twice")
		}
		for l := n.owners; l != nil; l = l.nextOwner {
			up[l] = g.nodes[l.owner.id] == l.owner && l.dependent == n
		}
		for l := n.dependents; l != nil; l = l.next {
			down[l] = g.nodes[l.dependent.id] == l.dependent && l.owner == n
		}
	}
	for l := range up {
		if !up[l] || !down[l] {
			t.Fatal("an owner does not know its dependent, or is not in the graph")
		}
	}
	if len(up) != len(down) {
		t.Fatalf("%d links to owners, %d to dependents", len(up), len(down))
	}
}

// TestMemory: 100,000 objects of 10,000 owners, and as many without any, take less than 200 bytes
// each.
func TestMemory(t *testing.T) {
	const each, owners = 100_000, 10_000
	metas := make([]*wire.Meta, 0, 2*each)
	uids := make([]types.UID, owners)
	for i := range uids {
		uids[i] = types.UID(uuid.NewString())
		metas = append(metas, metaOfObject(t, metav1.ObjectMeta{Namespace: "namespace-1", Name: fmt.Sprintf("deployment-%d", i), UID: uids[i]}))
	}
	for i := range each {
		metas = append(metas, metaOfObject(t, metav1.ObjectMeta{Namespace: "namespace-1", Name: fmt.Sprintf("deployment-%d-abcde", i), UID: types.UID(uuid.NewString()),
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "owner", UID: uids[i%owners]}}}))
	}
	owned := perObject(metas)
	for i := range metas {
		metas[i] = metaOfObject(t, metav1.ObjectMeta{Namespace: "namespace-1", Name: fmt.Sprintf("single-%d-abcde", i), UID: types.UID(uuid.NewString())})
	}
	alone := perObject(metas)
	t.Logf("%d bytes for an object with owners, %d for one without", owned, alone)
	if owned > 200 || alone > 80 {
		t.Errorf("%d bytes for an object with owners, %d for one without: want 200 and 80 at most", owned, alone)
	}
}

// perObject is the memory that a graph takes for each of some objects, when all were judged.
func perObject(metas []*wire.Meta) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	g := newGraph()
	for _, meta := range metas {
		g.put(0, meta, time.Time{})
	}
	for n := g.first(); n != nil; n = g.first() {
		g.done(n, false)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	size := int(int64(after.HeapAlloc)-int64(before.HeapAlloc)) / len(metas)
	runtime.KeepAlive(g)
	return size
}

// A server that ends before the collector has begun ends anyway.
func TestRunEndsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	resource := rest.Resource{Name: "things", Kind: "Thing", Get: nothing{}, Watch: nothing{}, Delete: nothing{}, Patch: nothing{}}
	newCollector([]rest.Resource{resource}, true, metrics.NewGarbage(prometheus.NewRegistry()), slog.New(slog.DiscardHandler)).run(ctx)
}

// nothing is a resource that is never asked.
type nothing struct {
	rest.Getter
	rest.Watcher
	rest.Deleter
	rest.Patcher
}

// Only what can be followed, patched and deleted is followed, each kind once and as it is stored;
// everything that can be read may be an owner.
func TestKinds(t *testing.T) {
	of := func(version, name string) rest.Resource {
		return rest.Resource{Name: name, Kind: "Kind" + name, GroupVersion: schema.GroupVersion{Group: "g", Version: version},
			StorageVersion: schema.GroupVersion{Group: "g", Version: "v2"}, Get: nothing{}, Watch: nothing{}, Delete: nothing{}, Patch: nothing{}}
	}
	old, whole, status, readOnly, events := of("v1", "things"), of("v2", "things"), of("v2", "things"), of("v2", "reports"), of("v2", "events")
	status.Subresource, readOnly.Delete = "status", nil
	c := newCollector([]rest.Resource{old, whole, status, readOnly, events}, true, metrics.NewGarbage(prometheus.NewRegistry()), slog.New(slog.DiscardHandler))
	got := map[string]bool{}
	for _, k := range c.kinds {
		got[k.GroupVersion.Version+" "+k.Name] = k.followed
	}
	if want := map[string]bool{"v2 things": true, "v2 reports": false, "v2 events": false}; !maps.Equal(got, want) {
		t.Errorf("followed: %v, want %v", got, want)
	}
	for _, kind := range []string{"Kindthings", "Kindreports", "Kindevents"} {
		if c.byKind[schema.GroupKind{Group: "g", Kind: kind}] == nil {
			t.Errorf("%s is not known", kind)
		}
	}
}
