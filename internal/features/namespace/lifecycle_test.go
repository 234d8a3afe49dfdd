package namespace

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/storage"
)

// rooms are namespaces, true for one on its way out. A cache sees the old ones only.
type rooms struct {
	old, all map[string]bool
	err      error
	reads    []string
}

func (r *rooms) look(_ context.Context, name string, live bool) (state, error) {
	from, read := r.old, "cache"
	if live {
		from, read = r.all, "store"
	}
	r.reads = append(r.reads, read)
	terminating, there := from[name]
	if r.err == nil && !there {
		return state{}, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, name)
	}
	return state{Terminating: terminating, Unchanged: storage.Op{Key: "/namespaces/" + name, Expected: 7, Act: storage.Expect}}, r.err
}

// request is a chain's question about a resource, which is in the core group unless it says
// otherwise.
func request(op admission.Operation, resource, namespace, name string) *admission.Request {
	gr := schema.ParseGroupResource(resource)
	return &admission.Request{Operation: op, Resource: gr.WithVersion("v1"), Namespace: namespace, Name: name}
}

// ask is what a server does with the plug-in.
func ask(p admission.Plugin, r *admission.Request) error {
	c := new(admission.Chain)
	c.Set([]admission.Plugin{p})
	return c.Mutate(context.Background(), r)
}

// TestNamespaceLifecycle has the cases of Kubernetes' plug-in.
func TestNamespaceLifecycle(t *testing.T) {
	missing := func(name string) string { return `namespaces "` + name + `" not found` }
	over := `pods "p" is forbidden: unable to create new content in namespace dying because it is being terminated`
	for name, tc := range map[string]struct {
		request *admission.Request
		err     error // of whoever reads
		want    string
		code    int32
		reads   []string
	}{
		"create in one that is there":                {request: request(admission.Create, "pods", "here", "p"), reads: []string{"cache"}},
		"create in one that was just made":           {request: request(admission.Create, "pods", "young", "p"), reads: []string{"cache", "store"}},
		"create in one that is missing":              {request: request(admission.Create, "pods", "nowhere", "p"), want: missing("nowhere"), code: 404, reads: []string{"cache", "store"}},
		"create in one on its way out":               {request: request(admission.Create, "pods", "dying", "p"), want: over, code: 403, reads: []string{"cache"}},
		"create a part of an object there":           {request: &admission.Request{Operation: admission.Create, Resource: schema.GroupVersionResource{Version: "v1", Resource: "pods"}, Subresource: "binding", Namespace: "dying", Name: "p"}, want: over, code: 403, reads: []string{"cache"}},
		"update in one on its way out":               {request: request(admission.Update, "pods", "dying", "p")},
		"update in one that is missing":              {request: request(admission.Update, "pods", "nowhere", "p")},
		"delete in one on its way out":               {request: request(admission.Delete, "pods", "dying", "p")},
		"delete in one that is missing":              {request: request(admission.Delete, "pods", "nowhere", "p")},
		"delete all in one that is missing":          {request: request(admission.Delete, "pods", "nowhere", "")},
		"connect to something there":                 {request: request(admission.Connect, "pods", "dying", "p")},
		"create what is in no namespace":             {request: request(admission.Create, "nodes", "", "n")},
		"create a namespace":                         {request: request(admission.Create, "namespaces", "", "new")},
		"update a namespace on its way out":          {request: request(admission.Update, "namespaces", "", "dying")},
		"delete a namespace":                         {request: request(admission.Delete, "namespaces", "", "here")},
		"delete default":                             {request: request(admission.Delete, "namespaces", "", "default"), want: `namespaces "default" is forbidden: this namespace may not be deleted`, code: 403},
		"delete kube-system":                         {request: request(admission.Delete, "namespaces", "", "kube-system"), want: `namespaces "kube-system" is forbidden: this namespace may not be deleted`, code: 403},
		"delete kube-public":                         {request: request(admission.Delete, "namespaces", "", "kube-public"), want: `namespaces "kube-public" is forbidden: this namespace may not be deleted`, code: 403},
		"delete namespaces of another group":         {request: request(admission.Delete, "namespaces.example.com", "", "default")},
		"a review of access in one that is missing":  {request: request(admission.Create, "localsubjectaccessreviews.authorization.k8s.io", "nowhere", "")},
		"other reviews in one that is missing":       {request: request(admission.Create, "localsubjectaccessreviews.example.com", "nowhere", ""), want: missing("nowhere"), code: 404, reads: []string{"cache", "store"}},
		"nobody knows whether it is there":           {request: request(admission.Create, "pods", "here", "p"), err: errors.New("no answer"), want: "Internal error occurred: no answer", code: 500, reads: []string{"cache"}},
		"the store says that it has much to do":      {request: request(admission.Create, "pods", "here", "p"), err: apierrors.NewTooManyRequests("later", 1), want: "later", code: 429, reads: []string{"cache"}},
		"create in one of that name on its way back": {request: request(admission.Create, "pods", "reborn", "p"), want: `pods "p" is forbidden: unable to create new content in namespace reborn because it is being terminated`, code: 403, reads: []string{"cache"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &rooms{
				old: map[string]bool{"here": false, "dying": true, "reborn": true},
				all: map[string]bool{"here": false, "dying": true, "young": false, "reborn": false},
				err: tc.err,
			}
			err := ask(newLifecycle(lifecycleConfig{Namespace: r.look}), tc.request)
			if diff := cmp.Diff(tc.reads, r.reads); diff != "" {
				t.Errorf("reads (-want +got)\n%s", diff)
			}
			if tc.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var status apierrors.APIStatus
			if !errors.As(err, &status) || err.Error() != tc.want || status.Status().Code != tc.code {
				t.Fatalf("%v, want a %d: %s", err, tc.code, tc.want)
			}
			if terminating := tc.code == 403 && tc.request.Operation == admission.Create; terminating != apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
				t.Errorf("causes: %+v", status.Status().Details)
			}
		})
	}
}

func TestCause(t *testing.T) {
	r := &rooms{old: map[string]bool{"dying": true}}
	err := ask(newLifecycle(lifecycleConfig{Namespace: r.look}), request(admission.Create, "pods", "dying", "p"))
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		t.Fatal(err)
	}
	want := []metav1.StatusCause{{Type: "NamespaceTerminating", Message: "namespace dying is being terminated", Field: "metadata.namespace"}}
	if diff := cmp.Diff(want, status.Status().Details.Causes); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// After a deletion the cache may still show the namespace as it was.
func TestDeletedIsReadFromTheStore(t *testing.T) {
	now := time.Unix(1e9, 0)
	r := &rooms{old: map[string]bool{"a": false, "b": false}, all: map[string]bool{"a": true, "b": false}}
	p := newLifecycle(lifecycleConfig{Namespace: r.look, Now: func() time.Time { return now }})
	create := func(namespace string) error { return ask(p, request(admission.Create, "pods", namespace, "p")) }

	if err := create("a"); err != nil {
		t.Errorf("before the deletion: %v", err)
	}
	if err := ask(p, request(admission.Delete, "namespaces", "", "a")); err != nil {
		t.Fatal(err)
	}
	if err := create("a"); !apierrors.IsForbidden(err) {
		t.Errorf("after it: %v", err)
	}
	r.reads = nil
	if err := create("b"); err != nil || len(r.reads) != 1 {
		t.Errorf("in another one: %v, read from %v", err, r.reads)
	}
	delete(r.all, "a")
	if err := create("a"); !apierrors.IsNotFound(err) {
		t.Errorf("when it is gone: %v", err)
	}
	now = now.Add(31 * time.Second)
	if err := create("a"); err != nil {
		t.Errorf("the cache is doubted for ever: %v", err)
	}
	if err := ask(p, request(admission.Delete, "namespaces", "", "b")); err != nil {
		t.Fatal(err)
	}
	if err := create("b"); err != nil {
		t.Errorf("in one whose deletion came to nothing: %v", err)
	}
}

// TestCreatesDependOnTheNamespace: what was admitted a moment ago is looked at again when the
// namespace has changed meanwhile.
func TestCreatesDependOnTheNamespace(t *testing.T) {
	r := &rooms{old: map[string]bool{"a": false}, all: map[string]bool{"a": true}}
	c := new(admission.Chain)
	c.Set([]admission.Plugin{newLifecycle(lifecycleConfig{Namespace: r.look})})
	create := request(admission.Create, "pods", "a", "p")
	create.Attempt = new(admission.Attempt)

	create.Attempt.Next()
	want := []storage.Op{{Key: "/namespaces/a", Expected: 7, Act: storage.Expect}}
	if got, err := c.Transact(t.Context(), create); err != nil || !cmp.Equal(want, got, cmp.AllowUnexported(storage.Op{})) {
		t.Errorf("first: %v %+v, want %+v", err, got, want)
	}
	create.Attempt.Next() // since the transaction found another revision
	if _, err := c.Transact(t.Context(), create); !apierrors.IsForbidden(err) {
		t.Errorf("again: %v", err)
	}
	if diff := cmp.Diff([]string{"cache", "store"}, r.reads); diff != "" {
		t.Errorf("reads (-want +got)\n%s", diff)
	}
	create.Attempt, create.DryRun = nil, true
	if got, err := c.Transact(t.Context(), create); err != nil || got != nil {
		t.Errorf("a dry run: %v %v", err, got)
	}
	if got, err := c.Transact(t.Context(), request(admission.Delete, "namespaces", "", "a")); err != nil || got != nil {
		t.Errorf("a deletion: %v %v", err, got)
	}
}
