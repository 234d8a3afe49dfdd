package follow

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// Named returns r as Run and List see it who want the objects of one name only, in whichever
// namespaces. It does not change r.
func Named(r *rest.Resource, name string) *rest.Resource {
	only := selected{r.List, r.Watch, metav1.ObjectNameField + "=" + name}
	of := *r
	of.List, of.Watch = only, only
	return &of
}

// selected lists and watches what a field selector says.
type selected struct {
	lister  rest.Lister
	watcher rest.Watcher
	fields  string
}

func (s selected) List(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.View, error) {
	opts.FieldSelector = s.fields
	return s.lister.List(ctx, namespace, opts)
}

func (s selected) Watch(ctx context.Context, namespace string, opts metav1.ListOptions) (rest.Stream, error) {
	opts.FieldSelector = s.fields
	return s.watcher.Watch(ctx, namespace, opts)
}
