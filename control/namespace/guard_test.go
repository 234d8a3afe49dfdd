package namespace

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// fakeNamespaces are some namespaces, of which a read of "any" version sees only the old ones.
type fakeNamespaces struct {
	old, young map[string]*corev1.Namespace
	err        error
}

type objectView struct{ obj apiruntime.Object }

func (v objectView) WriteTo(w io.Writer, form rest.Form) error {
	return serializer.Encode(w, v.obj, serializer.MediaType(form.MediaType), false)
}

func (f *fakeNamespaces) Get(_ context.Context, name rest.Name, opts metav1.GetOptions) (rest.View, error) {
	ns := f.old[name.Name]
	if ns == nil && opts.ResourceVersion == "" {
		ns = f.young[name.Name]
	}
	if f.err != nil || ns == nil {
		return nil, errors.Join(f.err, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, name.Name))
	}
	return objectView{ns}, nil
}

func (f *fakeNamespaces) Create(_ context.Context, name rest.Name, obj apiruntime.Object, _ metav1.CreateOptions) (rest.View, error) {
	f.young[name.Name] = obj.(*corev1.Namespace)
	return objectView{obj}, nil
}

func (f *fakeNamespaces) Update(context.Context, rest.Name, apiruntime.Object, metav1.UpdateOptions) (rest.View, bool, error) {
	return nil, false, nil
}

func (f *fakeNamespaces) Delete(context.Context, rest.Name, metav1.DeleteOptions) (rest.View, error) {
	return nil, nil
}

// fakePods notes what came through.
type fakePods struct {
	calls  []string
	exists bool
}

func (f *fakePods) Create(_ context.Context, name rest.Name, _ apiruntime.Object, _ metav1.CreateOptions) (rest.View, error) {
	f.calls = append(f.calls, "create in "+name.Namespace)
	return nil, nil
}

func (f *fakePods) Patch(_ context.Context, name rest.Name, _ rest.Patch, _ metav1.PatchOptions) (rest.View, bool, error) {
	f.calls = append(f.calls, "patch in "+name.Namespace)
	return nil, false, nil
}

func (f *fakePods) Get(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
	if f.exists {
		return nil, nil
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "pods"}, "p")
}

func aNamespace(name string) *corev1.Namespace {
	return &corev1.Namespace{TypeMeta: metav1.TypeMeta{Kind: "Namespace", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func namespaceScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	h := runtime.AddHub(b, schema.GroupKind{Kind: "Namespace"}, func() *corev1.Namespace { return new(corev1.Namespace) })
	runtime.AddVersion(h, runtime.Version[*corev1.Namespace, *corev1.Namespace]{
		GroupVersion: schema.GroupVersion{Version: "v1"},
		New:          func() *corev1.Namespace { return new(corev1.Namespace) },
		NewList:      func() apiruntime.Object { return new(corev1.NamespaceList) },
	})
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestGuardNamespaces(t *testing.T) {
	ctx := context.Background()
	dying := aNamespace("dying")
	dying.DeletionTimestamp = &metav1.Time{}
	rooms := &fakeNamespaces{old: map[string]*corev1.Namespace{"old": aNamespace("old"), "dying": dying}, young: map[string]*corev1.Namespace{"young": aNamespace("young")}}
	pods := new(fakePods)
	v1 := schema.GroupVersion{Version: "v1"}
	resources := []rest.Resource{
		{GroupVersion: v1, Kind: "Pod", Name: "pods", Namespaced: true, Get: pods, Create: pods, Patch: pods},
		{GroupVersion: v1, Kind: "Namespace", Name: "namespaces", Get: rooms, Create: rooms, Delete: rooms},
		{GroupVersion: v1, Kind: "Node", Name: "nodes", Create: pods},
		{GroupVersion: v1, Kind: "Namespace", Name: "namespaces", Subresource: "status", Update: rooms},
		{GroupVersion: v1, Kind: "Namespace", Name: "namespaces", Subresource: "finalize", Update: rooms},
	}
	c := New(resources, slog.New(slog.DiscardHandler))
	if err := c.MakeStanding(ctx, namespaceScheme(t)); err != nil {
		t.Fatal(err)
	}
	c.Guard(resources)
	for _, name := range standing {
		if rooms.young[name] == nil {
			t.Errorf("there is no namespace %s", name)
		}
		if _, err := resources[1].Delete.Delete(ctx, rest.Name{Name: name}, metav1.DeleteOptions{}); !apierrors.IsForbidden(err) {
			t.Errorf("the namespace %s can be deleted: %v", name, err)
		}
	}
	if _, err := resources[1].Delete.Delete(ctx, rest.Name{Name: "old"}, metav1.DeleteOptions{}); err != nil {
		t.Errorf("delete another namespace: %v", err)
	}
	if resources[2].Create != rest.Creator(pods) {
		t.Error("a cluster-scoped kind needs a namespace")
	}

	create := func(namespace string) error {
		_, err := resources[0].Create.Create(ctx, rest.Name{Namespace: namespace, Name: "p"}, nil, metav1.CreateOptions{})
		return err
	}
	patch := func(namespace string, patchType types.PatchType) error {
		_, _, err := resources[0].Patch.Patch(ctx, rest.Name{Namespace: namespace, Name: "p"}, rest.Patch{Type: patchType}, metav1.PatchOptions{})
		return err
	}
	for _, namespace := range []string{"old", "young", "default"} {
		if err := create(namespace); err != nil {
			t.Errorf("in %s: %v", namespace, err)
		}
	}
	if err := create("nowhere"); !apierrors.IsNotFound(err) || err.Error() != `namespaces "nowhere" not found` {
		t.Errorf("in a namespace that is missing: %v", err)
	}
	if err := create("dying"); !apierrors.IsForbidden(err) || !apierrors.HasStatusCause(err, namespaceTerminating) ||
		err.Error() != `pods "p" is forbidden: unable to create new content in namespace dying because it is being terminated` {
		t.Errorf("in a namespace that is being deleted: %v", err)
	}
	if err := patch("nowhere", types.ApplyYAMLPatchType); !apierrors.IsNotFound(err) {
		t.Errorf("an apply in a namespace that is missing: %v", err)
	}
	if err := patch("nowhere", types.MergePatchType); err != nil {
		t.Errorf("a patch in a namespace that is missing: %v", err)
	}
	pods.exists = true
	if err := patch("dying", types.ApplyYAMLPatchType); err != nil {
		t.Errorf("an apply to what is there, in a namespace that is being deleted: %v", err)
	}
	if want := []string{"create in old", "create in young", "create in default", "patch in nowhere", "patch in dying"}; !slices.Equal(pods.calls, want) {
		t.Errorf("came through: %q, want %q", pods.calls, want)
	}
	rooms.err = errors.New("no answer")
	if err := create("old"); err == nil {
		t.Error("nobody knows whether the namespace is there, and the object is created")
	}
}

// A server without namespaces takes them for granted.
func TestNoNamespaces(t *testing.T) {
	resources := []rest.Resource{{GroupVersion: schema.GroupVersion{Version: "v1"}, Kind: "Pod", Name: "pods", Namespaced: true, Create: new(fakePods)}}
	if c := New(resources, slog.New(slog.DiscardHandler)); c != nil {
		t.Errorf("there are no namespaces, and %v takes care of them", c)
	}
}
