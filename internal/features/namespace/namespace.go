// Package namespace has namespaces, as Kubernetes has them, and what a server does for them.
//
// Some namespaces are always there (standing.go), and those of objects that are older than the
// serving of namespaces are made (adopt.go). One that is deleted is emptied, in every group
// and resource that is served, and then goes itself (controller.go). Nothing is created in a
// namespace that is missing or on its way out. The admission plug-in NamespaceLifecycle sees to
// that in the transaction of the create itself. So nothing new appears once a namespace is on its
// way out (lifecycle.go).
//
// Start reading at API. The kind is in the folder below, its rules are in strategy.go. The package
// never removes a finalizer other than "kubernetes" of a namespace.
//
// +typeplane:apiserver
package namespace

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// emptier is what a kube-controller-manager calls the loop that empties namespaces.
const emptier = "namespace-controller"

// namespaces is how they are recognized.
var namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// API returns namespaces for a server that asks for them. more are made when they are missing,
// beside Standing; unlike these they can be deleted until the next start.
func API(more ...string) typeplane.API {
	api := newAPI()
	api.Admission = []typeplane.AdmissionPlugin{{Name: PluginName, Needs: []schema.GroupVersionResource{namespaces}, New: newPlugin}}
	api.Controllers = []string{emptier}
	api.Extend = func(ctx context.Context, h *typeplane.Host) error { return extend(ctx, h, more) }
	return api
}

func extend(ctx context.Context, h *typeplane.Host, more []string) error {
	c := newController(h.Served(), h.Log)
	if c == nil {
		return nil
	}
	c.fence = h.Fence
	if err := c.adopt(ctx, h.Scheme, h.Served()); err != nil {
		return err
	}
	if err := c.makeStanding(ctx, h.Scheme, more...); err != nil {
		return err
	}
	// Nobody deletes all namespaces by one mistake.
	h.Resource(namespaces, "").DeleteCollection = nil
	if h.Controls(emptier) {
		h.Alone("typeplane-control", func(ctx context.Context) { c.run(ctx, h.Served()) })
	}
	return nil
}

func newPlugin(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	from, keys := h.Resource(namespaces, "").Get, keyPrefix()
	return newLifecycle(lifecycleConfig{
		Namespace: func(ctx context.Context, name string, live bool) (state, error) {
			return stateOf(ctx, from, keys, name, live)
		},
	}), nil
}

// keyPrefix is that of the keys of namespaces.
func keyPrefix() string { return newAPI().Resources[0].KeyPrefix() }

// stateOf reads the state of a namespace. It is asked for everything that is created, so it looks
// at the bytes.
func stateOf(ctx context.Context, from rest.Getter, keys, name string, live bool) (ns state, err error) {
	view, err := from.Get(ctx, rest.Name{Name: name}, reader.Options(live))
	if err != nil {
		return ns, err
	}
	data, err := reader.Protobuf(view)
	if err != nil {
		return ns, err
	}
	meta, err := wire.ReadMeta(data)
	if err != nil {
		return ns, err
	}
	revision, err := storage.ParseRevision(meta.ResourceVersion)
	ns.Terminating = meta.Deleting
	ns.Unchanged = storage.Op{Key: keys + name, Expected: revision, Act: storage.Expect}
	return ns, err
}
