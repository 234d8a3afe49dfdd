package registry

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Get reads the object of type T with this name. T is a pointer to the type of a served version,
// such as *v1.Shelf. namespace is "" for a cluster-scoped kind. Zero options read the newest state;
// ResourceVersion "0" reads from memory, which costs no round trip to etcd.
//
// ctx is the context that a strategy, a subresource, an admission plug-in, a virtual resource or a
// loop was called with. The object belongs to the caller. Get reads as the server: it checks no
// permission of the user. Errors are API statuses, such as NotFound.
//
// The object may change before a write that depends on it is stored.
func Get[T runtime.Object](ctx context.Context, namespace, name string, opts metav1.GetOptions) (obj T, err error) {
	r, err := resourceOf[T](ctx)
	if err != nil {
		return obj, err
	}
	if r.Get == nil {
		return obj, apierrors.NewMethodNotSupported(r.GroupVersion.WithResource(r.Name).GroupResource(), "get")
	}
	view, err := r.Get.Get(ctx, rest.Name{Namespace: namespace, Name: name}, opts)
	if err != nil {
		return obj, err
	}
	obj = reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
	return obj, rest.Read(view, obj)
}

// List reads the objects of type T in a namespace, or in all of them if namespace is "". See Get
// for the context, the type and the errors. opts may have selectors and a resourceVersion. With a
// limit it returns the first page only.
func List[T runtime.Object](ctx context.Context, namespace string, opts metav1.ListOptions) ([]T, error) {
	r, err := resourceOf[T](ctx)
	if err != nil {
		return nil, err
	}
	if r.List == nil {
		return nil, apierrors.NewMethodNotSupported(r.GroupVersion.WithResource(r.Name).GroupResource(), "list")
	}
	view, err := r.List.List(ctx, namespace, opts)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []T }
	if err := rest.Read(view, &list); err != nil {
		return nil, err
	}
	for _, obj := range list.Items {
		obj.GetObjectKind().SetGroupVersionKind(r.GroupVersion.WithKind(r.Kind))
	}
	return list.Items, nil
}

// WithResources returns a context for Get and List. The server calls it once for all requests and
// loops; a test of a strategy calls it with the resources that the strategy reads.
func WithResources(ctx context.Context, scheme *runtime.Scheme, resources []rest.Resource) context.Context {
	byType := map[reflect.Type]*rest.Resource{}
	for i := range resources {
		r := &resources[i]
		if r.Subresource != "" {
			continue
		}
		if kind, err := scheme.Kind(r.GroupVersion.WithKind(r.Kind)); err == nil {
			byType[reflect.TypeOf(kind.New())] = r
		} else if r.NewBody != nil { // a virtual resource
			byType[reflect.TypeOf(r.NewBody())] = r
		}
	}
	return context.WithValue(ctx, resourcesKey{}, byType)
}

type resourcesKey struct{}

// resourceOf returns the resource whose objects have type T.
func resourceOf[T runtime.Object](ctx context.Context) (*rest.Resource, error) {
	byType, ok := ctx.Value(resourcesKey{}).(map[reflect.Type]*rest.Resource)
	if !ok {
		return nil, apierrors.NewInternalError(errors.New("registry: the context is not one of a server's: pass on the ctx that your function was called with, or use WithResources in a test"))
	}
	t := reflect.TypeFor[T]()
	r := byType[t]
	if r == nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("registry: no resource is served whose objects are %s: use the type of a served version", t))
	}
	return r, nil
}
