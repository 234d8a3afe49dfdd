package namespace

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// namespaceResource is how namespaces are recognized.
var namespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// standing are the namespaces that clients of Kubernetes count on: where they put what says nothing of a namespace, where a
// cluster keeps what is its own, and where everybody may read. They are made when they are missing, and stay.
var standing = []string{"default", "kube-system", "kube-public"}

// namespaceTerminating is the cause by which controllers know that there is no use in trying again.
const namespaceTerminating metav1.CauseType = "NamespaceTerminating"

// Guard makes every create of a namespaced object depend on its namespace: nothing is created in one that is missing or on
// its way out. It keeps the namespaces that Kubernetes keeps. It changes resources in place, once.
func (c *Controller) Guard(resources []rest.Resource) {
	for i := range resources {
		r := &resources[i]
		if r.GroupVersion.WithResource(r.Name) == namespaceResource && r.Subresource == "" {
			r.Delete, r.DeleteCollection = keeper{r.Delete}, nil // nobody deletes all namespaces by one mistake
		}
		if !r.Namespaced || r.Subresource != "" {
			continue
		}
		resource := schema.GroupResource{Group: r.GroupVersion.Group, Resource: r.Name}
		if r.Create != nil {
			r.Create = guardedCreator{r.Create, c, resource}
		}
		if r.Patch != nil && r.Get != nil {
			r.Patch = guardedPatcher{r.Patch, r.Get, c, resource}
		}
	}
}

// MakeStanding makes the namespaces that are always there.
func (c *Controller) MakeStanding(ctx context.Context, scheme *runtime.Scheme) error {
	for _, name := range standing {
		if err := c.makeNamespace(ctx, scheme, rest.Name{Name: name}); err != nil {
			return fmt.Errorf("create the namespace %q: %w", name, err)
		}
	}
	return nil
}

func (c *Controller) makeNamespace(ctx context.Context, scheme *runtime.Scheme, name rest.Name) error {
	r := c.namespaces
	if _, err := r.Get.Get(ctx, name, metav1.GetOptions{}); err == nil || !apierrors.IsNotFound(err) {
		return err
	}
	obj, err := scheme.New(r.GroupVersion.WithKind(r.Kind))
	if err != nil {
		return err
	}
	runtime.Meta(obj).Name = name.Name
	if _, err := r.Create.Create(ctx, name, obj, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// keeper refuses to delete what has to stay.
type keeper struct{ rest.Deleter }

func (k keeper) Delete(ctx context.Context, name rest.Name, opts metav1.DeleteOptions) (rest.View, error) {
	if slices.Contains(standing, name.Name) {
		return nil, apierrors.NewForbidden(namespaceResource.GroupResource(), name.Name, fmt.Errorf("this namespace may not be deleted"))
	}
	return k.Deleter.Delete(ctx, name, opts)
}

// admit returns nil if objects can be created in a namespace. What a cache says of one that is there is good enough;
// one that is missing may have been made a moment ago.
func (c *Controller) admit(ctx context.Context, namespace string, resource schema.GroupResource, name string) error {
	view, err := c.namespaces.Get.Get(ctx, rest.Name{Name: namespace}, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) {
		view, err = c.namespaces.Get.Get(ctx, rest.Name{Name: namespace}, metav1.GetOptions{})
	}
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Form{MediaType: rest.Protobuf}); err != nil {
		return err
	}
	meta, err := wire.ReadMeta(b.Bytes())
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if !meta.Deleting {
		return nil
	}
	status := apierrors.NewForbidden(resource, name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", namespace))
	status.ErrStatus.Details.Causes = append(status.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    namespaceTerminating,
		Message: fmt.Sprintf("namespace %s is being terminated", namespace),
		Field:   "metadata.namespace",
	})
	return status
}

// guardedCreator creates in namespaces that are there.
type guardedCreator struct {
	rest.Creator
	*Controller
	resource schema.GroupResource
}

func (g guardedCreator) Create(ctx context.Context, name rest.Name, obj apiruntime.Object, opts metav1.CreateOptions) (rest.View, error) {
	defer g.writers.enter(name.Namespace)()
	if err := g.admit(ctx, name.Namespace, g.resource, name.Name); err != nil {
		return nil, err
	}
	return g.Creator.Create(ctx, name, obj, opts)
}

// guardedPatcher lets an apply patch create in namespaces that are there. What exists can be patched anywhere.
type guardedPatcher struct {
	rest.Patcher
	objects rest.Getter
	*Controller
	resource schema.GroupResource
}

func (g guardedPatcher) Patch(ctx context.Context, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	if patch.Type == types.ApplyYAMLPatchType {
		defer g.writers.enter(name.Namespace)()
		if err := g.admit(ctx, name.Namespace, g.resource, name.Name); err != nil {
			if _, missing := g.objects.Get(ctx, name, metav1.GetOptions{}); missing != nil {
				return nil, false, err
			}
		}
	}
	return g.Patcher.Patch(ctx, name, patch, opts)
}
