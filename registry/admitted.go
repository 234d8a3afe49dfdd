package registry

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/subresource"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Admitted returns a resource that no store holds, like a Virtual, with admission before its
// creates, as the resources of a Definition have it. Plug-ins change what a client sent before the
// Creator sees it. They judge it when the Creator asks Request.Check. Nothing is stored, so
// Transact is not asked. A resource without a Create stays as it is.
func Admitted(r rest.Resource, chain *admission.Chain) rest.Resource {
	if r.Create != nil {
		r.Create = admitted{r.Create, r, chain}
	}
	return r
}

// admitted is a Creator behind admission.
type admitted struct {
	rest.Creator
	of    rest.Resource
	chain *admission.Chain
}

func (a admitted) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	if err := a.match(obj, name, false); err != nil {
		return nil, err
	}
	request := a.request(req, name, obj, &opts)
	if !a.chain.Wants(request) {
		return a.Creator.Create(ctx, req, name, obj, opts)
	}
	if err := a.chain.Mutate(ctx, request); err != nil {
		return nil, err
	}
	next, ok := request.Object.(rest.Body)
	if !ok || reflect.TypeOf(next) != reflect.TypeOf(obj) {
		return nil, apierrors.NewInternalError(fmt.Errorf("admission made a %T of a %T", request.Object, obj))
	}
	if err := a.match(next, name, a.of.Subresource != ""); err != nil {
		return nil, err
	}
	judge := func(ctx context.Context, obj, _ rest.Body) error {
		one := *request
		one.Object = obj
		return a.chain.Validate(ctx, &one)
	}
	return a.Creator.Create(ctx, req.With(judge), name, next, opts)
}

// match makes sure that obj is where the request says. named: and what, unless it says nothing.
func (a admitted) match(obj rest.Body, name rest.Name, named bool) error {
	meta, ok := runtime.MetaOf(obj)
	if !ok {
		return nil
	}
	if named && meta.Name != "" {
		if err := metadata.MatchName(meta, name); err != nil {
			return err
		}
	}
	return metadata.PlaceIn(meta, a.of.Namespaced, name)
}

func (a admitted) request(req *rest.Request, name rest.Name, obj rest.Body, opts *metav1.CreateOptions) *admission.Request {
	resource, kind := a.of.GroupVersion.WithResource(a.of.Name), a.of.BodyKind
	if kind.Empty() {
		kind = a.of.GroupVersion.WithKind(a.of.Kind)
	}
	return &admission.Request{
		Operation:   admission.Create,
		Resource:    resource,
		Subresource: a.of.Subresource,
		Kind:        kind,
		Namespace:   name.Namespace,
		Name:        name.Name,
		Object:      obj,
		Options:     opts,
		DryRun:      isDryRun(opts.DryRun),
		Notes:       &req.Notes,
		Codec:       subresource.NewCodec([]admission.Version{{Resource: resource, Kind: kind}}, a.empty(obj, kind)),
	}
}

// empty makes objects like obj to be decoded into.
func (a admitted) empty(obj rest.Body, kind schema.GroupVersionKind) func() apiruntime.Object {
	if a.of.NewBody != nil {
		return func() apiruntime.Object { return a.of.NewBody() }
	}
	return func() apiruntime.Object {
		return reflect.New(reflect.TypeOf(obj).Elem()).Interface().(apiruntime.Object)
	}
}
