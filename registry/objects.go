package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// Objects are the stored objects of a resource, for a plug-in that keeps accounts of them. It reads
// them, and makes operations that replace them in the transaction of another write. No strategy and
// no admission is asked. It is immutable, and its methods may be called from any goroutine.
type Objects struct {
	names   []schema.GroupResource
	prefix  string
	codec   *canonical.Codec
	form    storage.Form
	backend storage.Interface
}

// Objects returns those of a namespaced resource, which is stored as form says in the backend that
// Serve is given; with encryption form is more than what Form returns.
func (r Resource) Objects(scheme *runtime.Scheme, backend storage.Interface, form storage.Form, opts Options) (*Objects, error) {
	if !r.namespaced {
		return nil, fmt.Errorf("resource %q is in no namespace", r.plural)
	}
	c, err := r.codec(scheme, opts)
	if err != nil {
		return nil, err
	}
	l := &Objects{names: []schema.GroupResource{r.GroupResource()}, prefix: r.KeyPrefix(), codec: c, form: form, backend: backend}
	for _, gv := range r.versions {
		if name := (schema.GroupResource{Group: gv.Group, Resource: r.plural}); !slices.Contains(l.names, name) {
			l.names = append(l.names, name)
		}
	}
	return l, nil
}

// Namespaced says whether objects of the resource are in namespaces.
func (r Resource) Namespaced() bool { return r.namespaced }

// Names are those under which the resource is served, that of the hub first. They must not be
// modified.
func (l *Objects) Names() []schema.GroupResource { return l.names }

// List returns the entries of a namespace. Its errors are the store's.
func (l *Objects) List(ctx context.Context, namespace string, opts storage.ListOptions) (storage.Page, error) {
	return l.backend.List(ctx, l.prefix+namespace+"/", opts)
}

// Decode makes an object of the hub of an entry. It is the caller's, except for its strings, which
// may be parts of the entry.
func (l *Objects) Decode(entry storage.Entry) (apiruntime.Object, error) {
	return l.codec.DecodeHub(entry)
}

// Replace returns the operation that writes obj, an object of the hub, as it is over the object
// that was written at revision. Its watchers see that as any other change. obj belongs to it.
func (l *Objects) Replace(obj apiruntime.Object, revision int64) (storage.Op, error) {
	hub, ok := obj.(runtime.Object)
	if !ok || revision <= 0 {
		return storage.Op{}, apierrors.NewInternalError(fmt.Errorf("replace a %T of revision %d in %s", obj, revision, l.prefix))
	}
	meta := runtime.Meta(hub)
	key := l.prefix + meta.Namespace + "/" + meta.Name
	if meta.Namespace == "" || meta.Name == "" {
		return storage.Op{}, apierrors.NewInternalError(errors.New("replace an object without a name in " + l.prefix))
	}
	versioned, err := l.codec.FromHub(hub)
	if err != nil {
		return storage.Op{}, apierrors.NewInternalError(err)
	}
	value, err := l.codec.Encode(versioned, nil)
	if err != nil {
		return storage.Op{}, apierrors.NewInternalError(err)
	}
	stored, err := l.form.WriteValue(key, value)
	return storage.Op{Key: key, Expected: revision, Value: stored}, err
}
