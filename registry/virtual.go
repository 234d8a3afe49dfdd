package registry

import (
	"context"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/selection"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Virtual is a resource that no store holds: what is read is worked out when it is asked for, and
// what is sent is answered and forgotten, as reviews are. It is found in discovery, answers in
// every form, and has its own columns, as resources with a store do. T is a pointer to the type
// that clients see, in one version.
//
// A verb that is nil is not there, except Get beside List. The functions may be called from any
// goroutine. Their errors are API statuses; errors of fields (field.Error, or several in
// field.ErrorList.ToAggregate) become one, everything else is the server's fault. What they return
// belongs to the registry, which fills in what kind it is.
type Virtual[T runtime.Object] struct {
	// Kind is what clients see; New makes an empty one.
	Kind schema.GroupVersionKind
	New  func() T
	// Plural is the name in paths, Singular what users may type for one.
	Plural, Singular       string
	ShortNames, Categories []string
	Namespaced             bool

	// Get works out one object. Its error for one that there is not is apierrors.NewNotFound. nil:
	// it is looked for, by its name, in what List returns of its namespace.
	Get func(ctx context.Context, name rest.Name) (T, error)
	// List works out all objects of a namespace, or of all of them where that is "". Selectors of
	// labels, and of metadata.name and metadata.namespace, are applied to what it returns.
	List func(ctx context.Context, namespace string) ([]T, error)
	// Create answers obj, which belongs to it; it may return that. name.Name is what obj says, and
	// may be "". A dry run is in opts; req takes warnings. On a server of package typeplane obj has
	// passed admission.
	Create func(ctx context.Context, req *rest.Request, name rest.Name, obj T, opts metav1.CreateOptions) (T, error)

	// Columns and Cells are the columns of kubectl get after the name, as in a Strategy. Without
	// them kubectl shows the name and the age since the object's creationTimestamp.
	Columns []metav1.TableColumnDefinition
	Cells   func(obj T) []any
}

// Resource returns the resource for a server. The error names every mistake in the Virtual.
func (v Virtual[T]) Resource() (rest.Resource, error) {
	if problems := v.problems(); problems != nil {
		return rest.Resource{}, fmt.Errorf("virtual resource %q of kind %s: %s", v.Plural, v.Kind, strings.Join(problems, "; "))
	}
	if v.Get == nil && v.List != nil {
		v.Get = v.listed
	}
	e := &virtualEndpoint[T]{Virtual: v, table: view.NameAndAge}
	if v.Columns != nil {
		e.table = view.ColumnsOf(v.Columns, func(obj runtime.Object) ([]any, error) { return v.Cells(obj.(T)), nil })
	}
	r := rest.Resource{
		GroupVersion: v.Kind.GroupVersion(), Kind: v.Kind.Kind, Name: v.Plural, Singular: v.Singular,
		ShortNames: v.ShortNames, Categories: v.Categories, Namespaced: v.Namespaced,
		StorageVersion: v.Kind.GroupVersion(),
		BodyKind:       v.Kind, NewBody: func() rest.Body { return v.New() },
	}
	if v.Get != nil {
		r.Get = e
	}
	if v.List != nil {
		r.List, r.ListKind = e, e.listKind().Kind
	}
	if v.Create != nil {
		r.Create = e
	}
	return r, nil
}

// problems returns every mistake in the fields.
func (v Virtual[T]) problems() (problems []string) {
	for name, value := range map[string]string{"Kind.Version": v.Kind.Version, "Kind.Kind": v.Kind.Kind, "Plural": v.Plural} {
		if value == "" {
			problems = append(problems, name+" is empty")
		}
	}
	slices.Sort(problems)
	if v.Get == nil && v.List == nil && v.Create == nil {
		problems = append(problems, "it has no verbs: set Get, List or Create")
	}
	if v.New == nil {
		return append(problems, "New is nil")
	}
	if problem := runtime.CheckColumns(v.Columns, v.Cells, v.New); problem != "" {
		problems = append(problems, problem)
	}
	return problems
}

// listed is the Get of a Virtual that has none.
func (v Virtual[T]) listed(ctx context.Context, name rest.Name) (found T, err error) {
	all, err := v.List(ctx, name.Namespace)
	if err != nil {
		return found, err
	}
	for _, obj := range all {
		if meta := runtime.Meta(obj); meta.Name == name.Name && (!v.Namespaced || meta.Namespace == name.Namespace) {
			return obj, nil
		}
	}
	return found, apierrors.NewNotFound(schema.GroupResource{Group: v.Kind.Group, Resource: v.Plural}, name.Name)
}

// virtualEndpoint has the verbs of a Virtual.
type virtualEndpoint[T runtime.Object] struct {
	Virtual[T]
	table *view.Columns
}

func (e *virtualEndpoint[T]) listKind() schema.GroupVersionKind {
	return e.Kind.GroupVersion().WithKind(e.Kind.Kind + "List")
}

// Get answers with the object as it is now.
func (e *virtualEndpoint[T]) Get(ctx context.Context, name rest.Name, _ metav1.GetOptions) (rest.View, error) {
	obj, err := e.Virtual.Get(ctx, name)
	if err != nil {
		return nil, e.failed(err, name)
	}
	return e.view(obj), nil
}

// List answers with all of them: a limit is a wish.
func (e *virtualEndpoint[T]) List(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.View, error) {
	wanted, err := selection.OfMetadata(opts)
	if err != nil {
		return nil, err
	}
	all, err := e.Virtual.List(ctx, namespace)
	if err != nil {
		return nil, e.failed(err, rest.Name{Namespace: namespace})
	}
	view := view.VirtualList{Kind: e.Kind, ListKind: e.listKind(), Table: e.table}
	for _, obj := range all {
		if wanted(runtime.Meta(obj)) {
			view.Items = append(view.Items, obj)
		}
	}
	return view, nil
}

// Create answers what was sent.
func (e *virtualEndpoint[T]) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	sent := obj.(T)
	if err := metadata.PlaceIn(runtime.Meta(sent), e.Namespaced, name); err != nil {
		return nil, err
	}
	if err := req.Check(ctx, sent, nil); err != nil {
		return nil, err
	}
	answer, err := e.Virtual.Create(ctx, req, name, sent, opts)
	if err != nil {
		return nil, e.failed(err, name)
	}
	return e.view(answer), nil
}

func (e *virtualEndpoint[T]) failed(err error, name rest.Name) error {
	return apistatus.OfAuthor(err, e.Kind.GroupKind(), name.Name)
}

func (e *virtualEndpoint[T]) view(obj T) rest.View {
	obj.GetObjectKind().SetGroupVersionKind(e.Kind)
	return view.Virtual{Obj: obj, Table: e.table}
}
