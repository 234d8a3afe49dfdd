package registry

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// sent is what a client sent to a subresource that takes a kind of its own: an object of that kind,
// made by new.
type sent struct {
	req         *rest.Request
	op          admission.Operation
	subresource string // "": that of the endpoint
	name        rest.Name
	kind        schema.GroupVersionKind
	new         func() apiruntime.Object
	old         func() (apiruntime.Object, error) // what the subresource shows now; nil: nothing
	opts        apiruntime.Object                 // nil: there are none
	dryRun      bool
}

// admitBody shows admission a body, and returns what admission makes of it. It is the body that is
// admitted, not the object that the subresource belongs to.
func admitBody[B apiruntime.Object](ctx context.Context, e *endpoint, to sent, body B) (B, error) {
	resource := e.resource.WithVersion(e.Kind.GroupVersionKind().Version)
	request := e.asked(&admission.Request{
		Operation:   to.op,
		Resource:    resource,
		Subresource: cmp.Or(to.subresource, e.subresource),
		Kind:        to.kind,
		Namespace:   to.name.Namespace,
		Name:        to.name.Name,
		Object:      body,
		Options:     to.opts,
		DryRun:      to.dryRun,
		Forms:       bodyForms{e.bodyVersions(to.kind), to.new},
		Notes:       &to.req.Notes,
	})
	if request == nil {
		return body, nil
	}
	if to.old != nil {
		old, err := to.old()
		if err != nil {
			return body, err
		}
		request.Old = old
	}
	if err := e.admission.Mutate(ctx, request); err != nil {
		return body, err
	}
	next, ok := request.Object.(B)
	if !ok {
		return body, apierrors.NewInternalError(fmt.Errorf("admission made a %T of a %T", request.Object, body))
	}
	return next, e.admission.Validate(ctx, request)
}

// bodyVersions are those of the object that the subresource belongs to, in all of which it takes
// the same kind.
func (e *endpoint) bodyVersions(kind schema.GroupVersionKind) []admission.Version {
	versions := forms{e}.Versions()
	for i := range versions {
		versions[i].Kind = kind
	}
	return versions
}

// bodyForms shows admission what a subresource takes, which is the same in all versions.
type bodyForms struct {
	versions []admission.Version
	new      func() apiruntime.Object
}

func (f bodyForms) Versions() []admission.Version { return f.versions }

func (f bodyForms) kind() schema.GroupVersionKind { return f.versions[0].Kind }

func (f bodyForms) Encode(obj apiruntime.Object, _ admission.Version) ([]byte, error) {
	body := obj.DeepCopyObject()
	body.GetObjectKind().SetGroupVersionKind(f.kind())
	return serializer.Append(nil, body, serializer.JSON, false)
}

func (f bodyForms) Decode(data []byte, _ admission.Version) (apiruntime.Object, error) {
	body := f.new()
	gvk, strict, err := serializer.DecodeInto(data, serializer.JSON, f.kind(), body)
	if err == nil && gvk != f.kind() {
		err = fmt.Errorf("it is a %s, want a %s", gvk, f.kind())
	}
	if err == nil {
		err = serializer.Decoded{Strict: strict}.StrictError()
	}
	return body, err
}
