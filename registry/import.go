package registry

import (
	"context"
	"fmt"
	"math"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// Importer takes objects of a version over from another server, as they are: no client may write
// so, hence it is no verb of a resource.
type Importer struct {
	Kind       schema.GroupVersionKind
	Resource   string // the plural
	Namespaced bool
	// Stored says that it is the version that objects are stored in, so that the JSON of an object
	// without protobuf is kept.
	Stored bool
	// Import stores an object that is given in JSON, with its status and what a server fills in;
	// its owners and its uid are what change makes of them. It is judged as a new one that was sent
	// by a client, its status too; admission is not asked. Without a uid or
	// a creationTimestamp it gets one. created is false if the object is there already, with this
	// uid; another one of its name is an error. A dry run writes nothing.
	Import func(ctx context.Context, text []byte, change func(*metav1.ObjectMeta), dryRun bool) (created bool, err error)
}

// Importers are those of the served versions, out of a store as for Serve.
func (r Resource) Importers(scheme *runtime.Scheme, backend storage.Interface, opts Options) ([]Importer, error) {
	c, err := r.codec(scheme, opts)
	if err != nil {
		return nil, err
	}
	return r.importers(c, opts, backend)
}

func (s *store) importers() ([]Importer, error) {
	var out []Importer
	for _, gv := range s.def.Versions {
		kind, err := s.codec.KindIn(gv)
		if err != nil {
			return nil, err
		}
		e := &endpoint{
			store: s, Factory: s.factory(kind), resource: schema.GroupResource{Group: gv.Group, Resource: s.def.Plural},
			wholly: true, // the status is judged, too
		}
		out = append(out, Importer{
			Kind: kind.GroupVersionKind(), Resource: s.def.Plural, Namespaced: s.def.Namespaced, Stored: kind == s.codec.Storage, Import: e.take,
		})
	}
	return out, nil
}

// take is Importer.Import.
func (e *endpoint) take(ctx context.Context, text []byte, change func(*metav1.ObjectMeta), dryRun bool) (created bool, err error) {
	obj := e.Kind.New()
	if _, err := e.Kind.ReadJSONWithin(text, obj, math.MaxInt); err != nil { // of the clients of the other server
		return false, apierrors.NewBadRequest(fmt.Sprintf("it can't be read: %v", err))
	}

	// The metadata is that of the other server, except for what means something there only.
	meta := runtime.Meta(obj)
	meta.ResourceVersion = ""
	if !e.def.Namespaced {
		meta.Namespace = ""
	}
	change(meta)
	e.metadata.CompleteImported(meta)
	if err := e.validation().Size(meta, nil); err != nil {
		return false, err
	}

	// Default, on to the hub, validate, canonicalize.
	uid, name := meta.UID, meta.Name
	key, err := e.Key(rest.Name{Namespace: meta.Namespace, Name: name})
	if err != nil {
		return false, err
	}
	in, err := e.received(nil, obj, text)
	if err != nil {
		return false, badDocument(err)
	}
	hub, from := in.hub, in.from
	if err := e.validation().Create(ctx, in.sent, hub, from); err != nil {
		return false, err
	}
	if canonicalize := e.def.Strategy.Canonicalize; canonicalize != nil {
		canonicalize(hub)
	}

	// Encode, put.
	value, err := e.encodeHub(hub, from)
	if err != nil {
		return false, err
	}
	opts := metav1.CreateOptions{}
	if dryRun {
		opts.DryRun = []string{metav1.DryRunAll}
	}
	_, err = e.put(ctx, key, value, nil, opts)
	if storage.CodeOf(err) == storage.CodeExists && e.isThere(ctx, key, string(uid)) {
		return false, nil
	}
	if err != nil {
		return false, e.createError(ctx, key, name, err)
	}
	return true, nil
}

// isThere says whether the object at a key has this uid.
func (s *store) isThere(ctx context.Context, key, uid string) bool {
	entry, err := s.backend.Get(ctx, key, storage.GetOptions{})
	if err != nil {
		return false
	}
	meta, err := wire.ReadMeta(entry.Value)
	return err == nil && meta.UID == uid
}
