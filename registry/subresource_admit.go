package registry

import (
	"cmp"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/subresource"
	"github.com/typeplane/typeplane/registry/rest"
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
		Codec:       subresource.NewCodec(e.bodyVersions(to.kind), to.new),
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
	versions := hubCodec{e}.Versions()
	for i := range versions {
		versions[i].Kind = kind
	}
	return versions
}
