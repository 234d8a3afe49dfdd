package registry

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// Export reads one object as it could be created somewhere else: without what this server filled
// in. With exact it keeps its namespace, and its name also where that was generated.
func (e *endpoint) Export(ctx context.Context, name rest.Name, opts metav1.GetOptions, exact bool) (rest.View, error) {
	entry, err := e.get(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	if status := e.codec.statusField(); status != 0 && entry.Err == nil {
		if entry.Value, err = wire.AppendWithout(nil, entry.Value, status); err != nil {
			return nil, apierrors.NewInternalError(err)
		}
	}
	hub, err := e.codec.decodeHub(entry)
	if err != nil {
		return nil, statusOf(err, "get", e.resource, name.Name)
	}
	from, err := e.codec.originOf(entry.Value)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	stripMeta(runtime.Meta(hub), exact)
	if export := e.def.Strategy.Export; export != nil {
		export(ctx, hub, exact)
	}
	obj, err := e.fromHub(hub)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	view := objectOf{kindView{obj, e.kind}, e.table}
	if !e.showsDocuments() {
		return view, nil
	}
	stored, err := e.codec.storage.FromHub(hub)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	doc, err := e.document(stored, from)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return documentView{view, doc}, nil
}

// stripMeta takes out of metadata what means something here only.
func stripMeta(meta *metav1.ObjectMeta, exact bool) {
	wipeSystemFields(meta)
	meta.ResourceVersion = ""
	meta.ManagedFields = nil
	meta.OwnerReferences = nil // they name owners by their uids, which nobody has elsewhere
	if exact {
		return
	}
	meta.Namespace = ""
	if meta.GenerateName != "" {
		meta.Name = ""
	}
}
