package registry

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/query"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Connector is a subresource that answers by itself, as pods/log and pods/attach do. It streams for
// as long as it likes, or takes over the connection to speak WebSocket, SPDY or anything else. The
// handler's ResponseWriter is an http.Hijacker for that on HTTP/1.1. methods are those of HTTP that
// it takes; none are GET alone. kind is what discovery says of it, of the options if they are one.
//
// connect says who answers, or why nobody does; that is an error like those of the other verbs. The
// options are read out of the query: each field of O by its name in JSON. Names that are no field
// are ignored, as for all verbs, and a value that does not fit is a 400. Where *O is a
// runtime.Object, admission sees the options as those of a Connect. The object that the subresource
// belongs to was there at this moment.
//
// The handler's request has a context that ends when the client goes or when the server stops.
// Where the handler has taken over the connection, it is for the handler to see that the client
// goes. The handler returns soon after. Until then it may take its time: such a request has no
// deadline and counts as a watch.
func Connector[T runtime.Object, O any](
	name string, kind schema.GroupVersionKind, methods []string, connect func(ctx context.Context, of *Parent[T], opts *O) (http.Handler, error),
) Subresource[T] {
	parameters, problem := query.Of[O]()
	if len(methods) == 0 {
		methods = []string{http.MethodGet}
	}
	return Subresource[T]{name: name, body: new(O), problem: problem, parameters: parameters.Parameters(), serve: func(e *endpoint, r *rest.Resource) {
		r.BodyKind = kind
		r.Connect = connectPart[O]{e, kind, parameters, func(ctx context.Context, of *Parent[runtime.Object], opts *O) (http.Handler, error) {
			return connect(ctx, typedParent[T](of), opts)
		}}
		r.ConnectMethods, r.ConnectParameters = methods, parameters.Parameters()
	}}
}

// Below returns a Connector that answers requests to all paths below its own, too, as nodes/proxy
// does. What follows in the path is in the option of that name, with its first slash.
func (s Subresource[T]) Below(option string) Subresource[T] {
	path, serve := rest.QueryParameter{Name: option, Type: "string"}, s.serve
	if s.problem == "" && !slices.Contains(s.parameters, path) {
		s.problem = fmt.Sprintf("the rest of the path goes into %q, which is no string among its options", option)
	}
	s.serve = func(e *endpoint, r *rest.Resource) {
		serve(e, r)
		r.Connect, r.ConnectBelow = belowPart{r.Connect, option}, true
		r.ConnectParameters = slices.DeleteFunc(r.ConnectParameters, func(p rest.QueryParameter) bool { return p == path })
	}
	return s
}

// belowPart puts the rest of the path into an option.
type belowPart struct {
	rest.Connector
	option string
}

func (p belowPart) Connect(ctx context.Context, req *rest.Request, name rest.Name, opts rest.ConnectOptions) (http.Handler, error) {
	query := maps.Clone(opts.Query)
	if query == nil {
		query = url.Values{}
	}
	query.Set(p.option, opts.Below)
	opts.Query = query
	return p.Connector.Connect(ctx, req, name, opts)
}

type connectPart[O any] struct {
	of      *endpoint
	kind    schema.GroupVersionKind
	query   query.Query
	connect func(context.Context, *Parent[runtime.Object], *O) (http.Handler, error)
}

func (p connectPart[O]) Connect(ctx context.Context, req *rest.Request, name rest.Name, opts rest.ConnectOptions) (http.Handler, error) {
	options := new(O)
	if err := p.query.Read(opts.Query, options); err != nil {
		return nil, err
	}
	of, err := p.of.newParent(ctx, req, name, opts.FieldManager, false)
	if err != nil {
		return nil, err
	}
	p.of.rules.Fill(options)
	if obj, ok := any(options).(apiruntime.Object); ok {
		newOptions := func() apiruntime.Object { return any(new(O)).(apiruntime.Object) }
		next, err := admitBody(ctx, p.of, sent{req: req, op: admission.Connect, name: name, kind: p.kind, new: newOptions}, obj)
		if err != nil {
			return nil, err
		}
		if options, ok = any(next).(*O); !ok {
			return nil, apierrors.NewInternalError(fmt.Errorf("admission made a %T of a %T", next, obj))
		}
	}
	if err := p.of.rules.Judge(ctx, p.of.subresource, p.kind.GroupKind(), name.Name, options); err != nil {
		return nil, err
	}
	handler, err := p.connect(ctx, of, options)
	if err != nil {
		return nil, apistatus.OfAuthor(err, p.of.Kind.GroupVersionKind().GroupKind(), name.Name)
	}
	return handler, nil
}
