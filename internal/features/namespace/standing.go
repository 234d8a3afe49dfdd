package namespace

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Standing are the namespaces that clients of Kubernetes count on. They put there what says nothing
// of a namespace, a cluster keeps there what is its own, and one is where everybody may read. They
// are made when they are missing, and never deleted.
var Standing = []string{metav1.NamespaceDefault, metav1.NamespaceSystem, metav1.NamespacePublic}

// makeStanding makes the namespaces that are always there, and more of the program's own.
func (c *controller) makeStanding(ctx context.Context, scheme *runtime.Scheme, more ...string) error {
	for _, name := range slices.Concat(Standing, more) {
		if err := c.makeNamespace(ctx, scheme, rest.Name{Name: name}); err != nil {
			return fmt.Errorf("create the namespace %q: %w", name, err)
		}
	}
	return nil
}

func (c *controller) makeNamespace(ctx context.Context, scheme *runtime.Scheme, name rest.Name) error {
	r := c.namespaces
	if _, err := r.Get.Get(ctx, name, metav1.GetOptions{}); err == nil || !apierrors.IsNotFound(err) {
		return err
	}
	obj, err := scheme.New(r.GroupVersion.WithKind(r.Kind))
	if err != nil {
		return err
	}
	runtime.Meta(obj).Name = name.Name
	if _, err := r.Create.Create(ctx, new(rest.Request), name, obj, metav1.CreateOptions{}); !apierrors.IsAlreadyExists(err) {
		return err
	}
	return nil
}
