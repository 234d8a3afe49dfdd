package registry

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/trace"
)

// request is what admission is asked about in a write; its objects are filled in for each attempt.
// nil: admission has nothing to say.
func (e *endpoint) request(w *write, op admission.Operation, name rest.Name, opts apiruntime.Object, dryRun []string) *admission.Request {
	return e.asked(&admission.Request{
		Operation:   op,
		Resource:    e.resource.WithVersion(e.Kind.GroupVersionKind().Version),
		Subresource: e.subresource,
		Kind:        e.Kind.GroupVersionKind(),
		Namespace:   name.Namespace,
		Name:        name.Name,
		Options:     opts,
		DryRun:      isDryRun(dryRun),
		Codec:       hubCodec{e},
		Notes:       &w.Notes,
	})
}

// asked returns r if admission wants to see it, else nil.
func (e *endpoint) asked(r *admission.Request) *admission.Request {
	if !e.admission.Wants(r) {
		return nil
	}
	r.Attempt = new(admission.Attempt)
	return r
}

// about returns the request for one attempt to make obj of old.
func about(r *admission.Request, obj, old runtime.Object) *admission.Request {
	one := *r
	one.Object, one.Old = obj, old
	return &one
}

// mutate returns obj with the changes of mutating admission, which are also made to w.sent. obj
// belongs to it.
func (e *endpoint) mutate(ctx context.Context, w *write, obj, old runtime.Object) (runtime.Object, error) {
	r := w.judged
	if r == nil || ctx.Err() != nil {
		return obj, ctx.Err()
	}
	one, was := about(r, obj, old), runtime.Meta(obj).ManagedFields
	sent := &sentCodec{hubCodec{e}, one, w.sent.Object}
	if sent.object != nil {
		one.Codec = sent
	}
	stepCtx, step := trace.Begin(ctx, "mutating admission")
	err := e.admission.Mutate(stepCtx, one)
	step.End(err)
	if err != nil {
		return obj, err
	}
	w.sent.Object = sent.object
	next, ok := one.Object.(runtime.Object)
	if !ok || reflect.TypeOf(next) != reflect.TypeOf(obj) {
		return obj, apierrors.NewInternalError(fmt.Errorf("admission made a %T of a %T", one.Object, obj))
	}
	// The client may write where it said that it would, and nowhere else. A new object may get
	// another name.
	meta, name := runtime.Meta(next), rest.Name{Namespace: r.Namespace, Name: r.Name}
	owners.KeepOwners(r.Notes, meta, was)
	metadata.DropOwnersTwice(r.Notes, meta, metadata.OwnersTwiceAfterAdmission)
	if old != nil {
		if err := metadata.MatchName(meta, name); err != nil {
			return obj, err
		}
	}
	return next, metadata.PlaceIn(meta, e.Namespaced, name)
}

// admit asks whether obj may be written.
func (e *endpoint) admit(ctx context.Context, r *admission.Request, obj, old runtime.Object) error {
	if r == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	one := about(r, obj, old)
	one.Name = runtime.Meta(obj).Name
	ctx, step := trace.Begin(ctx, "validating admission")
	err := e.admission.Validate(ctx, one)
	step.End(err)
	return err
}

// admitDelete asks whether an entry may be deleted, and returns what it holds. To delete one that
// can't be read, for which that is nil, is judged by nobody; but Transact is asked.
func (e *endpoint) admitDelete(ctx context.Context, r *admission.Request, current storage.Entry) (old runtime.Object, err error) {
	if r == nil || current.Err != nil {
		return nil, nil
	}
	hub, err := e.decodeCurrent(current)
	if err != nil {
		return nil, err
	}
	one := about(r, nil, hub)
	if err := e.admission.Mutate(ctx, one); err != nil {
		return nil, err
	}
	return hub, e.admission.Validate(ctx, one)
}

// hubCodec shows admission the versions of an endpoint's objects.
type hubCodec struct{ e *endpoint }

func (f hubCodec) Versions() []admission.Version {
	e := f.e
	versions := []admission.Version{f.version(e.Kind)}
	for _, gv := range e.def.Versions {
		if kind, err := e.codec.KindIn(gv); err == nil && kind != e.Kind {
			versions = append(versions, f.version(kind))
		}
	}
	return versions
}

func (f hubCodec) version(kind *runtime.Kind) admission.Version {
	gvk := kind.GroupVersionKind()
	return admission.Version{Resource: gvk.GroupVersion().WithResource(f.e.def.Plural), Kind: gvk}
}

// Encode makes JSON of a hub.
func (f hubCodec) Encode(obj apiruntime.Object, version admission.Version) ([]byte, error) {
	kind, err := f.e.codec.KindIn(version.Kind.GroupVersion())
	if err != nil {
		return nil, err
	}
	// Converting may share memory with the hub, and the kind is written into what comes out of it.
	versioned, err := kind.FromHub(f.e.deepCopy(obj.(runtime.Object)))
	if err != nil {
		return nil, err
	}
	versioned.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind())
	return serializer.AppendKind(nil, kind, versioned, serializer.JSON, false)
}

// Decode makes a hub of JSON.
func (f hubCodec) Decode(data []byte, version admission.Version) (apiruntime.Object, error) {
	kind, obj, err := f.read(data, version)
	if err != nil {
		return nil, err
	}
	return f.e.toHub(kind, obj)
}

// read reads an object of a version and fills in its defaults.
func (f hubCodec) read(data []byte, version admission.Version) (*runtime.Kind, runtime.Object, error) {
	decoded, err := serializer.DecodeBody(f.e.codec.Scheme, data, serializer.JSON, version.Kind)
	if err != nil {
		return nil, nil, err
	}
	if decoded.GroupVersionKind != version.Kind {
		return nil, nil, fmt.Errorf("it is a %s, want a %s", decoded.GroupVersionKind, version.Kind)
	}
	if err := decoded.StrictError(); err != nil {
		return nil, nil, err
	}
	kind, err := f.e.codec.KindIn(version.Kind.GroupVersion())
	if err != nil {
		return nil, nil, err
	}
	kind.Default(decoded.Object)
	return kind, decoded.Object, nil
}

// Merge is as a server-side apply merges, without owners.
func (f hubCodec) Merge(data []byte, applied map[string]any, version admission.Version) ([]byte, error) {
	return f.e.owners.Merge(version.Kind.GroupVersion(), data, applied)
}

// sentCodec is a hubCodec for mutating admission. It also makes the changes of webhooks and
// policies to object, which is that of judge.Sent. They use the request's version, and the
// conversion to the hub may make a valid value of a wrong one.
type sentCodec struct {
	hubCodec
	request *admission.Request
	object  runtime.Object
}

// Decode is called for the new Object of the request.
func (c *sentCodec) Decode(data []byte, version admission.Version) (apiruntime.Object, error) {
	kind, obj, err := c.read(data, version)
	if err != nil {
		return nil, err
	}
	if kind == c.e.Kind {
		before, err := kind.FromHub(c.e.deepCopy(c.request.Object.(runtime.Object)))
		if err != nil {
			return nil, err
		}
		if c.object, err = canonical.DocumentsOf(kind).Merge(c.object, before, obj); err != nil {
			return nil, err
		}
	}
	return c.e.toHub(kind, obj)
}
