package garbage_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/registry/rest"
)

// The cases are those of Kubernetes' own tests of its garbage collector, and some more.

// world is a server with namespaces a and b.
type world struct {
	*testing.T
	servertest.Client
}

func start(t *testing.T, options ...apitest.Option) world {
	t.Helper()
	w := world{t, servertest.Start(t, options...)}
	w.namespaces()
	return w
}

func (w world) namespaces() {
	w.Helper()
	for _, ns := range []string{"a", "b"} {
		w.Want(201, "", "POST", servertest.Namespaces, `{"metadata":{"name":"`+ns+`"}}`)
	}
}

// The paths of some resources.
const (
	mapsA    = servertest.Namespaces + "/a/configmaps"
	secretsA = servertest.Namespaces + "/a/secrets"
	mapsB    = servertest.Namespaces + "/b/configmaps"
	leasesA  = "/apis/coordination.k8s.io/v1/namespaces/a/leases"
	classes  = "/apis/storage.k8s.io/v1/storageclasses"
	eventsA  = servertest.Namespaces + "/a/events"
)

// object is what a test says of one.
type object struct {
	metav1.ObjectMeta `json:"metadata"`
	Provisioner       string `json:"provisioner,omitempty"`
}

// make creates an object, and returns how others refer to it.
func (w world) make(path, name string, owners ...metav1.OwnerReference) metav1.OwnerReference {
	w.Helper()
	return w.makeWith(path, metav1.ObjectMeta{Name: name, OwnerReferences: owners})
}

func (w world) makeWith(path string, meta metav1.ObjectMeta) metav1.OwnerReference {
	w.Helper()
	obj := object{ObjectMeta: meta}
	kind := map[string][2]string{"configmaps": {"v1", "ConfigMap"}, "secrets": {"v1", "Secret"},
		"leases": {"coordination.k8s.io/v1", "Lease"}, "storageclasses": {"storage.k8s.io/v1", "StorageClass"}}[path[strings.LastIndex(path, "/")+1:]]
	if kind[1] == "StorageClass" {
		obj.Provisioner = "example.com/p"
	}
	body, err := json.Marshal(obj)
	if err != nil {
		w.Fatal(err)
	}
	var made object
	if err := json.Unmarshal([]byte(w.Want(201, "", "POST", path, string(body))), &made); err != nil {
		w.Fatal(err)
	}
	return metav1.OwnerReference{APIVersion: kind[0], Kind: kind[1], Name: meta.Name, UID: made.UID}
}

func blocking(ref metav1.OwnerReference) metav1.OwnerReference {
	yes := true
	ref.BlockOwnerDeletion = &yes
	return ref
}

func (w world) delete(path, policy string) {
	w.Helper()
	if policy != "" {
		path += "?propagationPolicy=" + policy
	}
	w.Want(200, "", "DELETE", path, "")
}

func (w world) gone(paths ...string) {
	w.Helper()
	for _, path := range paths {
		w.Until(404, "", path)
	}
}

// owners are the names of those that an object has.
func (w world) owners(path string) (names []string) {
	w.Helper()
	var obj object
	if err := json.Unmarshal([]byte(w.Want(200, "", "GET", path, "")), &obj); err != nil {
		w.Fatal(err)
	}
	for _, ref := range obj.OwnerReferences {
		names = append(names, ref.Name)
	}
	return names
}

// settled waits until the collector has seen everything that was written, and has nothing to do: an
// object made now, and one after that, go for lack of an owner.
func (w world) settled() {
	w.Helper()
	for range 2 {
		name := fmt.Sprintf("last-%d", time.Now().UnixNano())
		w.make(mapsA, name, metav1.OwnerReference{APIVersion: "v1", Kind: "Secret", Name: "never", UID: "never-was"})
		w.gone(mapsA + "/" + name)
	}
}

func (w world) stay(paths ...string) {
	w.Helper()
	w.settled()
	for _, path := range paths {
		w.Want(200, "", "GET", path, "")
	}
}

func both(t *testing.T, test func(world)) {
	for name, cache := range map[string]bool{"cached": true, "uncached": false} {
		t.Run(name, func(t *testing.T) {
			test(start(t, func(o *typeplane.Options) { o.Store.WatchCache = cache }))
		})
	}
}

// What a deleted object owned goes after it; what has another owner loses a reference and stays.
func TestBackground(t *testing.T) {
	both(t, func(w world) {
		goes, stays := w.make(mapsA, "goes"), w.make(mapsA, "stays")
		w.make(secretsA, "child", goes)
		w.make(secretsA, "shared", goes, stays)
		w.make(secretsA, "free")
		w.make(leasesA, "grandchild", w.make(secretsA, "between", goes))
		w.delete(mapsA+"/goes", "Background")
		w.gone(secretsA+"/child", secretsA+"/between", leasesA+"/grandchild")
		servertest.Eventually(w.T, "the reference to an owner that is gone is still there", func() bool {
			return slices.Equal(w.owners(secretsA+"/shared"), []string{"stays"})
		})
		w.stay(secretsA+"/shared", secretsA+"/free", mapsA+"/stays")
	})
}

// Owners that never were, that were another object of the same name, and whose kind nobody knows.
func TestOwnersThatAreNot(t *testing.T) {
	w := start(t)
	there := w.make(mapsA, "there")
	w.make(secretsA, "never", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "never", UID: "doesn't matter"})
	other := there
	other.UID = "another"
	w.make(secretsA, "other", other)
	odd := there
	odd.Name, odd.UID = "a/b", "odd"
	w.make(secretsA, "odd", odd)
	wrong := there
	wrong.Kind = "Secret"
	w.make(secretsA, "wrong-kind", wrong)
	w.make(secretsA, "right", there)
	w.make(secretsA, "unknown", metav1.OwnerReference{APIVersion: "unknown.example.com/v1", Kind: "Unknown", Name: "x", UID: "unknown"})
	w.gone(secretsA+"/never", secretsA+"/other", secretsA+"/odd", secretsA+"/wrong-kind")
	w.stay(secretsA+"/right", secretsA+"/unknown", mapsA+"/there")
	// The same once the owner is known by right ones.
	w.make(secretsA, "wrong-again", wrong)
	w.gone(secretsA + "/wrong-again")
	w.stay(secretsA+"/right", mapsA+"/there")
	w.delete(mapsA+"/there", "")
	w.gone(secretsA + "/right")
}

// An owner that is added to an object later counts as one of the beginning.
func TestOwnersThatChange(t *testing.T) {
	w := start(t)
	first, second := w.make(mapsA, "first"), w.make(mapsA, "second")
	w.make(secretsA, "child", first)
	w.make(secretsA, "late")
	patch, _ := json.Marshal(object{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{second}}})
	for _, name := range []string{"child", "late"} {
		w.Want(200, "", "PATCH", secretsA+"/"+name, string(patch))
	}
	w.delete(mapsA+"/first", "")
	w.stay(secretsA+"/child", secretsA+"/late")
	w.delete(mapsA+"/second", "")
	w.gone(secretsA+"/child", secretsA+"/late")
}

// A cluster-scoped owner may own in any namespace; a namespaced one only in its own.
func TestScopes(t *testing.T) {
	both(t, func(w world) {
		class, parent := w.make(classes, "class"), w.make(mapsB, "parent")
		missing := metav1.OwnerReference{APIVersion: class.APIVersion, Kind: class.Kind, Name: "missing", UID: "missing"}
		w.make(mapsA, "valid", class)
		w.make(mapsA, "missing", missing)
		w.make(mapsB, "good", parent)
		w.make(classes, "classes-class", class)
		w.gone(mapsA + "/missing")
		w.make(mapsA, "bad", parent) // the owner comes first
		w.gone(mapsA + "/bad")
		w.Until(200, `ownerRef [v1/ConfigMap, namespace: a, name: parent, uid: `+string(parent.UID)+`] does not exist in namespace \"a\"`, eventsA)
		w.make(classes, "of-a-map", parent)
		w.Until(200, `ownerRef [v1/ConfigMap, namespace: , name: parent, uid: `+string(parent.UID)+`] does not exist in namespace \"\"`, servertest.Namespaces+"/default/events")
		w.stay(mapsA+"/valid", mapsB+"/good", mapsB+"/parent", classes+"/of-a-map")
		w.delete(classes+"/class", "Foreground")
		w.gone(mapsA+"/valid", classes+"/classes-class", classes+"/class")
	})
}

// Each way to say what happens to dependents, right after they were made: none is overlooked.
func TestPolicies(t *testing.T) {
	w := start(t)
	for name, tc := range map[string]struct {
		finalizers []string
		query      string
		stay       bool
	}{
		"none":               {nil, "", false},
		"background":         {nil, "?propagationPolicy=Background", false},
		"foreground":         {nil, "?propagationPolicy=Foreground", false},
		"orphan":             {nil, "?propagationPolicy=Orphan", true},
		"orphan-old":         {nil, "?orphanDependents=true", true},
		"orphan-finalizer":   {[]string{"orphan"}, "", true},
		"orphan-overruled":   {[]string{"orphan"}, "?orphanDependents=false", false},
		"foreground-already": {[]string{"foregroundDeletion"}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			w := world{t, w.Client}
			for i := range 10 {
				owner := fmt.Sprintf("%s-%d", name, i)
				ref := w.makeWith(mapsA, metav1.ObjectMeta{Name: owner, Finalizers: tc.finalizers})
				for j := range 3 {
					w.make(secretsA, fmt.Sprintf("%s-%d", owner, j), ref)
				}
				w.Want(200, "", "DELETE", mapsA+"/"+owner+tc.query, "")
			}
			for i := range 10 {
				w.gone(fmt.Sprintf("%s/%s-%d", mapsA, name, i))
				for j := range 3 {
					path := fmt.Sprintf("%s/%s-%d-%d", secretsA, name, i, j)
					if !tc.stay {
						w.gone(path)
					} else if owners := w.owners(path); len(owners) > 0 {
						t.Errorf("%s still has owners %q", path, owners)
					}
				}
			}
		})
	}
	w.settled()
	if list := w.Want(200, "", "GET", secretsA, ""); strings.Count(list, `"uid"`) != 3*10*3 {
		t.Errorf("of the dependents there are still: %s", list)
	}
}

// In the foreground an owner waits for those that block it, and for nobody else.
func TestForeground(t *testing.T) {
	w := start(t)
	kept := []string{"example.com/kept"}
	owner := w.make(mapsA, "owner")
	w.makeWith(secretsA, metav1.ObjectMeta{Name: "blocks", OwnerReferences: []metav1.OwnerReference{blocking(owner)}, Finalizers: kept})
	w.makeWith(secretsA, metav1.ObjectMeta{Name: "does-not", OwnerReferences: []metav1.OwnerReference{owner}, Finalizers: kept})
	w.delete(mapsA+"/owner", "Foreground")
	w.Until(200, `"deletionTimestamp"`, secretsA+"/blocks")
	w.Until(200, `"deletionTimestamp"`, secretsA+"/does-not")
	w.stay(mapsA + "/owner")
	w.Want(200, "", "PATCH", secretsA+"/blocks", `{"metadata":{"finalizers":[]}}`)
	w.gone(mapsA+"/owner", secretsA+"/blocks")
	w.Want(200, "", "GET", secretsA+"/does-not", "")

	// It stops to wait for one that does not block it any more.
	owner = w.make(mapsA, "owner")
	w.makeWith(secretsA, metav1.ObjectMeta{Name: "blocks", OwnerReferences: []metav1.OwnerReference{blocking(owner)}, Finalizers: kept})
	w.delete(mapsA+"/owner", "Foreground")
	w.Until(200, `"deletionTimestamp"`, secretsA+"/blocks")
	patch, _ := json.Marshal(object{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{owner}}})
	w.Want(200, "", "PATCH", secretsA+"/blocks", string(patch))
	w.gone(mapsA + "/owner")
}

// A dependent with another owner that stays does not hold up the owner that waits.
func TestSolidOwnerDoesNotBlock(t *testing.T) {
	w := start(t)
	goes, stays := w.make(mapsA, "goes"), w.make(mapsA, "stays")
	w.make(secretsA, "child", blocking(goes), stays)
	w.delete(mapsA+"/goes", "Foreground")
	w.gone(mapsA + "/goes")
	if got := w.owners(secretsA + "/child"); !slices.Equal(got, []string{"stays"}) {
		t.Errorf("the child has owners %q", got)
	}
}

// The collector takes its finalizer off however often it is put on.
func TestForegroundTwice(t *testing.T) {
	w := start(t)
	w.makeWith(mapsA, metav1.ObjectMeta{Name: "lucy", Finalizers: []string{"x.example.com/y"}})
	for range 2 {
		w.delete(mapsA+"/lucy", "Foreground")
		w.Until(200, `"finalizers":["x.example.com/y"]`, mapsA+"/lucy")
	}
	w.Want(200, "", "PATCH", mapsA+"/lucy", `{"metadata":{"finalizers":[]}}`)
	w.gone(mapsA + "/lucy")
}

// Chains over several kinds, and circles, with each policy.
func TestChainsAndCircles(t *testing.T) {
	w := start(t)
	for _, policy := range []string{"Background", "Foreground"} {
		top := w.make(classes, "top")
		second := w.make(mapsA, "second", blocking(top))
		third := w.make(secretsA, "third", blocking(second))
		w.make(leasesA, "fourth", blocking(third))
		w.delete(classes+"/top", policy)
		w.gone(leasesA+"/fourth", secretsA+"/third", mapsA+"/second", classes+"/top")

		for _, length := range []int{1, 2, 3, 5} {
			w.circle(length, policy)
		}
	}
}

// circle makes objects that own each other, and deletes the first.
func (w world) circle(length int, policy string) {
	w.Helper()
	var refs []metav1.OwnerReference
	name := func(i int) string { return fmt.Sprintf("circle-%d", i%length) }
	for i := range length {
		refs = append(refs, w.make(mapsA, name(i)))
	}
	for i := range length {
		patch, _ := json.Marshal(object{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{blocking(refs[(i+1)%length])}}})
		w.Want(200, "", "PATCH", mapsA+"/"+name(i), string(patch))
	}
	w.stay(mapsA + "/" + name(0))
	w.delete(mapsA+"/"+name(0), policy)
	for i := range length {
		w.gone(mapsA + "/" + name(i))
	}
}

// While the server is down, or does not collect, it misses nothing.
func TestRestart(t *testing.T) {
	dir := t.TempDir()
	here := func(o *typeplane.Options) { o.Store.DataDir = dir }
	t.Run("never", func(t *testing.T) {
		w := start(t, apitest.Embedded, here, func(o *typeplane.Options) { o.Store.GarbageCollector = typeplane.CollectNever })
		owner, stays := w.make(mapsA, "owner"), w.make(mapsA, "stays")
		w.make(secretsA, "child", owner)
		w.make(secretsA, "shared", owner, stays)
		w.delete(mapsA+"/owner", "Foreground") // nobody would honour it
		w.Want(404, "", "GET", mapsA+"/owner", "")
		w.Want(200, "", "GET", secretsA+"/child", "")
	})
	t.Run("beside", func(t *testing.T) {
		w := world{t, servertest.Start(t, apitest.Embedded, here, func(o *typeplane.Options) { o.Store.GarbageCollector = typeplane.CollectBeside })}
		for _, policy := range []string{"Foreground", "Orphan"} {
			owner := w.make(mapsA, strings.ToLower(policy))
			w.make(secretsA, "of-"+strings.ToLower(policy), blocking(owner))
			w.delete(mapsA+"/"+owner.Name, policy)
		}
	})
	w := world{t, servertest.Start(t, apitest.Embedded, here)}
	w.gone(secretsA+"/child", mapsA+"/foreground", mapsA+"/orphan", secretsA+"/of-foreground")
	w.stay(secretsA+"/shared", secretsA+"/of-orphan")
	servertest.Eventually(t, "shared has still the owner that is gone", func() bool {
		return slices.Equal(w.owners(secretsA+"/shared"), []string{"stays"})
	})
}

// An owner does not go before every dependent has been orphaned, however long that takes.
func TestOrphaningThatFails(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	failing := typeplane.API{Extend: func(_ context.Context, h *typeplane.Host) error {
		r := h.Resource(schema.GroupVersionResource{Version: "v1", Resource: "secrets"}, "")
		r.Patch = patcher{r.Patch, &refuse}
		return nil
	}}
	s := apitest.Start(t, typeplane.Server{Name: "plane", APIs: append(features.All(), failing)})
	w := world{t, servertest.Of(t, s)}
	w.namespaces()
	w.make(secretsA, "child", w.make(mapsA, "owner"))
	w.delete(mapsA+"/owner", "Orphan")
	w.stay(mapsA+"/owner", secretsA+"/child")
	refuse.Store(false)
	w.gone(mapsA + "/owner")
	if owners := w.owners(secretsA + "/child"); len(owners) > 0 {
		t.Errorf("the child has owners %q", owners)
	}
}

type patcher struct {
	rest.Patcher
	refuse *atomic.Bool
}

func (p patcher) Patch(ctx context.Context, req *rest.Request, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (rest.View, bool, error) {
	if p.refuse.Load() {
		return nil, false, errors.New("not now")
	}
	return p.Patcher.Patch(ctx, req, name, patch, opts)
}

// A kind that can't be read keeps waiting only those who say what happens to dependents: one of
// them might be of that kind. When it can be read, they go.
func TestKindThatCannotBeRead(t *testing.T) {
	var refuse atomic.Bool
	refuse.Store(true)
	failing := typeplane.API{Extend: func(_ context.Context, h *typeplane.Host) error {
		r := h.Resource(schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, "")
		r.Watch = watcher{r.Watch, &refuse}
		return nil
	}}
	w := world{t, servertest.Of(t, apitest.Start(t, typeplane.Server{Name: "plane", APIs: append(features.All(), failing)}))}
	w.namespaces()
	owner, orphaning := w.make(mapsA, "owner"), w.make(mapsA, "orphaning")
	w.make(secretsA, "child", owner)
	w.make(leasesA, "waits", blocking(owner))
	w.make(leasesA, "orphan", orphaning)
	w.delete(mapsA+"/owner", "Foreground")
	w.delete(mapsA+"/orphaning", "Orphan")
	w.gone(secretsA + "/child")
	w.stay(mapsA+"/owner", mapsA+"/orphaning", leasesA+"/waits", leasesA+"/orphan")
	refuse.Store(false)
	w.gone(mapsA+"/owner", mapsA+"/orphaning", leasesA+"/waits")
	if owners := w.owners(leasesA + "/orphan"); len(owners) > 0 {
		t.Errorf("the orphan has owners %q", owners)
	}
}

type watcher struct {
	rest.Watcher
	refuse *atomic.Bool
}

func (w watcher) Watch(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.Stream, error) {
	if w.refuse.Load() {
		return nil, errors.New("not now")
	}
	return w.Watcher.Watch(ctx, namespace, opts)
}

// What is kept of the owners of an object is as it was.
func TestOthersAreKeptAsTheyAre(t *testing.T) {
	w := start(t)
	goes, stays := w.make(mapsA, "goes"), blocking(w.make(mapsA, "stays"))
	yes := true
	stays.Controller = &yes
	w.make(secretsA, "child", goes, stays)
	w.delete(mapsA+"/goes", "Background")
	want := `"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"stays","uid":"` + string(stays.UID) + `","controller":true,"blockOwnerDeletion":true}]`
	w.Until(200, want, secretsA+"/child")
}
