package quota_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/config"
	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/memory"
)

// server serves secrets, config maps and quotas with the plug-in, and the further resources of its
// setup, on a database that it may share with others.
type server struct {
	t       testing.TB
	verbs   map[string]rest.Resource
	objects map[string]*registry.Objects
	gates   storage.Interface
}

// setup says what is special about a server.
type setup struct {
	source    func(storage.Form) cacher.Source
	uncached  bool
	mediaType rest.MediaType
	patience  time.Duration
	wrap      func(storage.Interface) storage.Interface // what lies in front of each store
	limited   []quota.Limited
	more      []typeplane.API   // further resources
	before    *admission.Plugin // a plug-in that is asked before the quotas
}

func inMemory(db *memory.Database) setup {
	return setup{source: func(form storage.Form) cacher.Source {
		return memory.New(memory.Config{Database: db, Root: "/registry", Form: form})
	}}
}

func (c setup) start(t testing.TB) *server {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	b := runtime.NewBuilder()
	var resources []registry.Resource
	for _, api := range append([]typeplane.API{config.API(), quota.API()}, c.more...) {
		api.AddToScheme(b)
		resources = append(resources, api.Resources...)
	}
	scheme, err := b.Build()
	must(err)
	chain := new(admission.Chain)
	s := &server{t: t, verbs: map[string]rest.Resource{}, objects: map[string]*registry.Objects{}}
	parts := quota.Config{Patience: c.patience, Limited: c.limited}
	opts := registry.Options{Admission: chain, StorageMediaType: c.mediaType}
	for _, r := range resources {
		form, err := r.Form(scheme, opts)
		must(err)
		backend := c.store(t, r.KeyPrefix(), form)
		served, err := r.Serve(scheme, backend, opts)
		must(err)
		objects, err := r.Objects(scheme, backend, form, opts)
		must(err)
		name := r.GroupResource().Resource
		for _, one := range served {
			s.verbs[strings.TrimSuffix(one.Name+"/"+one.Subresource, "/")] = one
		}
		s.objects[name] = objects
		parts.Objects = append(parts.Objects, objects)
		if name == "resourcequotas" {
			parts.Quotas = objects
		}
	}
	s.gates = c.store(t, quota.GatePrefix, storage.Form{})
	parts.Gates = s.gates
	plugin, err := quota.New(parts)
	must(err)
	plugins := []admission.Plugin{plugin}
	if c.before != nil {
		plugins = []admission.Plugin{*c.before, plugin}
	}
	chain.Set(plugins)
	return s
}

func (c setup) store(t testing.TB, prefix string, form storage.Form) storage.Interface {
	store := storage.Interface(c.source(form))
	if !c.uncached {
		cached, err := cacher.New(cacher.Config{Source: c.source(form), Prefix: prefix})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(cached.Close)
		store = cached
	}
	if c.wrap != nil {
		store = c.wrap(store)
	}
	return store
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
}

func quotaOf(name string, hard map[corev1.ResourceName]string) *corev1.ResourceQuota {
	q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	q.Spec.Hard = corev1.ResourceList{}
	for name, amount := range hard {
		q.Spec.Hard[name] = resource.MustParse(amount)
	}
	return q
}

// create creates an object of a resource in ns.
func (s *server) create(plural string, obj runtime.Object, dryRun ...string) error {
	_, err := s.verbs[plural].Create.Create(context.Background(), new(rest.Request), rest.Name{Namespace: "ns"}, obj, metav1.CreateOptions{DryRun: dryRun})
	return err
}

func (s *server) mustCreate(plural string, obj runtime.Object) {
	s.t.Helper()
	if err := s.create(plural, obj); err != nil {
		s.t.Fatalf("create %s %s: %v", plural, obj.GetName(), err)
	}
}

// update updates an object of a resource, or of a subresource, in ns.
func (s *server) update(plural string, obj runtime.Object, dryRun ...string) error {
	name := rest.Name{Namespace: "ns", Name: obj.GetName()}
	_, _, err := s.verbs[plural].Update.Update(context.Background(), new(rest.Request), name, obj, metav1.UpdateOptions{DryRun: dryRun})
	return err
}

func (s *server) mustUpdate(plural string, obj runtime.Object) {
	s.t.Helper()
	if err := s.update(plural, obj); err != nil {
		s.t.Fatalf("update %s %s: %v", plural, obj.GetName(), err)
	}
}

func (s *server) delete(plural, name string, dryRun ...string) error {
	_, err := s.verbs[plural].Delete.Delete(context.Background(), new(rest.Request), rest.Name{Namespace: "ns", Name: name}, metav1.DeleteOptions{DryRun: dryRun})
	return err
}

func (s *server) mustDelete(plural, name string) {
	s.t.Helper()
	if err := s.delete(plural, name); err != nil {
		s.t.Fatalf("delete %s %s: %v", plural, name, err)
	}
}

func (s *server) quota(name string) *corev1.ResourceQuota {
	s.t.Helper()
	return get[corev1.ResourceQuota](s, "resourcequotas", name)
}

// get reads an object of ns.
func get[T any](s *server, plural, name string) *T {
	s.t.Helper()
	obj, err := read[T](s, plural, name)
	if err != nil {
		s.t.Fatalf("get %s %s: %v", plural, name, err)
	}
	return obj
}

// read is get for any goroutine.
func read[T any](s *server, plural, name string) (*T, error) {
	view, err := s.verbs[plural].Get.Get(context.Background(), rest.Name{Namespace: "ns", Name: name}, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if err := view.WriteTo(&text, rest.Representation{MediaType: rest.JSON}); err != nil {
		return nil, err
	}
	obj := new(T)
	return obj, json.Unmarshal(text.Bytes(), obj)
}

// wantUsed checks what a quota has in use: "secrets=1,configmaps=2", in any order.
func (s *server) wantUsed(quota, want string) {
	s.t.Helper()
	status := s.quota(quota).Status
	if got := text(status.Used); got != sorted(want) {
		s.t.Fatalf("quota %s: used is %s, want %s", quota, got, sorted(want))
	}
	if got, want := text(status.Hard), text(s.quota(quota).Spec.Hard); got != want {
		s.t.Fatalf("quota %s: status.hard is %s, want %s", quota, got, want)
	}
}

func text(list corev1.ResourceList) string {
	var parts []string
	for name, amount := range list {
		parts = append(parts, string(name)+"="+amount.String())
	}
	return sorted(strings.Join(parts, ","))
}

func sorted(list string) string {
	parts := strings.Split(list, ",")
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

// wantForbidden checks that err is a 403 with the message.
func wantForbidden(t testing.TB, err error, message string) {
	t.Helper()
	if !apierrors.IsForbidden(err) || err.Error() != message {
		t.Fatalf("got %v\nwant %s", err, message)
	}
}
