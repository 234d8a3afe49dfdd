package boot

import (
	"bytes"
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
)

// A server that serves namespaces, as Kubernetes has them, lets nothing be created in one that is not there. One that
// does not serve them takes every namespace for granted.

// namespaceResource is how namespaces are recognized.
var namespaceResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}

// defaultNamespace is where clients put what says nothing of a namespace, so it is made when it is missing.
const defaultNamespace = "default"

// namespaceTerminating is the cause by which controllers know that there is no use in trying again.
const namespaceTerminating metav1.CauseType = "NamespaceTerminating"

// guardNamespaces makes every create of a namespaced object depend on its namespace, if resources has namespaces.
func guardNamespaces(ctx context.Context, scheme *runtime.Scheme, resources []rest.Resource) error {
	guard := namespaces{}
	for _, r := range resources {
		if r.GroupVersion.WithResource(r.Name) == namespaceResource && r.Subresource == "" && !r.Namespaced && r.Get != nil {
			guard.get = r.Get
			if err := makeDefault(ctx, scheme, r); err != nil {
				return fmt.Errorf("create the namespace %q: %w", defaultNamespace, err)
			}
		}
	}
	if guard.get == nil {
		return nil
	}
	for i := range resources {
		r := &resources[i]
		if !r.Namespaced || r.Subresource != "" {
			continue
		}
		resource := schema.GroupResource{Group: r.GroupVersion.Group, Resource: r.Name}
		if r.Create != nil {
			r.Create = guardedCreator{r.Create, guard, resource}
		}
		if r.Patch != nil && r.Get != nil {
			r.Patch = guardedPatcher{r.Patch, r.Get, guard, resource}
		}
	}
	return nil
}

// makeDefault makes the namespace "default" if there is none.
func makeDefault(ctx context.Context, scheme *runtime.Scheme, r rest.Resource) error {
	name := rest.Name{Name: defaultNamespace}
	if _, err := r.Get.Get(ctx, name, metav1.GetOptions{}); err == nil || !apierrors.IsNotFound(err) || r.Create == nil {
		return err
	}
	obj, err := scheme.New(r.GroupVersion.WithKind(r.Kind))
	if err != nil {
		return err
	}
	runtime.Meta(obj).Name = defaultNamespace
	if _, err := r.Create.Create(ctx, name, obj, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}

// namespaces answers whether there is one.
type namespaces struct {
	get rest.Getter
}

// admit returns nil if objects can be created in a namespace. What a cache says of one that is there is good enough;
// one that is missing may have been made a moment ago.
func (n namespaces) admit(ctx context.Context, namespace string, resource schema.GroupResource, name string) error {
	view, err := n.get.Get(ctx, rest.Name{Name: namespace}, metav1.GetOptions{ResourceVersion: "0"})
	if apierrors.IsNotFound(err) {
		view, err = n.get.Get(ctx, rest.Name{Name: namespace}, metav1.GetOptions{})
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
	namespaces
	resource schema.GroupResource
}

func (g guardedCreator) Create(ctx context.Context, name rest.Name, obj apiruntime.Object, opts metav1.CreateOptions) (rest.View, error) {
	if err := g.admit(ctx, name.Namespace, g.resource, name.Name); err != nil {
		return nil, err
	}
	return g.Creator.Create(ctx, name, obj, opts)
}

// guardedPatcher lets an apply patch create in namespaces that are there. What exists can be patched anywhere.
type guardedPatcher struct {
	rest.Patcher
	objects rest.Getter
	namespaces
	resource schema.GroupResource
}

func (g guardedPatcher) Patch(ctx context.Context, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	if patch.Type == types.ApplyYAMLPatchType {
		if err := g.admit(ctx, name.Namespace, g.resource, name.Name); err != nil {
			if _, missing := g.objects.Get(ctx, name, metav1.GetOptions{}); missing != nil {
				return nil, false, err
			}
		}
	}
	return g.Patcher.Patch(ctx, name, patch, opts)
}
