package namespace

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
)

// namespaceResource is how namespaces are recognized.
var namespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// FollowWriters lets the Controller know of every write that may make a namespaced object, so that a namespace is not taken
// for empty while one is on its way; whether it may be made is decided by admission. Nobody deletes all namespaces by one
// mistake: that verb goes. It changes resources in place, once.
func (c *Controller) FollowWriters(resources []rest.Resource) {
	for i := range resources {
		r := &resources[i]
		if r.GroupVersion.WithResource(r.Name) == namespaceResource && r.Subresource == "" {
			r.DeleteCollection = nil
		}
		if !r.Namespaced || r.Subresource != "" {
			continue
		}
		if r.Create != nil {
			r.Create = countedCreator{r.Create, c.writers}
		}
		if r.Update != nil {
			r.Update = countedUpdater{r.Update, c.writers}
		}
		if r.Patch != nil {
			r.Patch = countedPatcher{r.Patch, c.writers}
		}
	}
}

// countedCreator counts creates.
type countedCreator struct {
	rest.Creator
	*writers
}

func (c countedCreator) Create(ctx context.Context, name rest.Name, obj apiruntime.Object, opts metav1.CreateOptions) (rest.View, error) {
	defer c.enter(name.Namespace)()
	return c.Creator.Create(ctx, name, obj, opts)
}

// countedUpdater counts updates, which make objects of some kinds.
type countedUpdater struct {
	rest.Updater
	*writers
}

func (c countedUpdater) Update(ctx context.Context, name rest.Name, obj apiruntime.Object, opts metav1.UpdateOptions) (view rest.View, created bool, err error) {
	defer c.enter(name.Namespace)()
	return c.Updater.Update(ctx, name, obj, opts)
}

// countedPatcher counts apply patches, which make objects.
type countedPatcher struct {
	rest.Patcher
	*writers
}

func (c countedPatcher) Patch(ctx context.Context, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	if patch.Type == types.ApplyYAMLPatchType {
		defer c.enter(name.Namespace)()
	}
	return c.Patcher.Patch(ctx, name, patch, opts)
}
