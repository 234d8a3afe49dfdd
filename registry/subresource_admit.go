package registry

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// sent is what a client sent to a subresource of an author: an object of a kind, made by new.
type sent struct {
	op     admission.Operation
	name   rest.Name
	kind   schema.GroupVersionKind
	new    func() apiruntime.Object
	opts   apiruntime.Object // nil: there are none
	dryRun bool
}

// admitBody shows admission a body, and returns what admission makes of it. It is the body that is admitted, not the object that
// the subresource belongs to.
func admitBody[T runtime.Object, B apiruntime.Object](ctx context.Context, e *endpoint[T], to sent, body B) (B, error) {
	resource := e.resource.WithVersion(e.kind.GroupVersionKind().Version)
	request := e.asked(&admission.Request{
		Operation:   to.op,
		Resource:    resource,
		Subresource: e.subresource,
		Kind:        to.kind,
		Namespace:   to.name.Namespace,
		Name:        to.name.Name,
		Object:      body,
		Options:     to.opts,
		DryRun:      to.dryRun,
		Forms:       bodyForms{admission.Version{Resource: resource, Kind: to.kind}, to.new},
	})
	if request == nil {
		return body, nil
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

// bodyForms shows admission the one version of what a subresource takes.
type bodyForms struct {
	version admission.Version
	new     func() apiruntime.Object
}

func (f bodyForms) Versions() []admission.Version { return []admission.Version{f.version} }

func (f bodyForms) Encode(obj apiruntime.Object, _ admission.Version) ([]byte, error) {
	body := obj.DeepCopyObject()
	body.GetObjectKind().SetGroupVersionKind(f.version.Kind)
	return serializer.Append(nil, body, serializer.JSON, false)
}

func (f bodyForms) Decode(data []byte, _ admission.Version) (apiruntime.Object, error) {
	body := f.new()
	gvk, strict, err := serializer.DecodeInto(data, serializer.JSON, f.version.Kind, body)
	if err == nil && gvk != f.version.Kind {
		err = fmt.Errorf("it is a %s, want a %s", gvk, f.version.Kind)
	}
	if err == nil {
		err = serializer.Decoded{Strict: strict}.StrictError()
	}
	return body, err
}
