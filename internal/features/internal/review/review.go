// Package review makes a resource of a function: one that can only be created, and whose answer is
// what the function fills in. Nothing is stored. It is how the review kinds of Kubernetes are
// served.
package review

import (
	"context"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// Object is a pointer to a review.
type Object[T any] interface {
	*T
	runtime.Object
}

// Add serves a kind, if the operator wants it. answer fills in its status, in a dry run too; name
// is the namespace that it is asked in, for one that has namespaced set. Its errors are API
// statuses; an error of fields becomes one with Invalid.
func Add[T any, P Object[T]](h *typeplane.Host, gv schema.GroupVersion, kind string, namespaced bool, answer func(ctx context.Context, name rest.Name, review P) error) error {
	singular := strings.ToLower(kind)
	if !h.Enabled(singular + "s") {
		return nil
	}
	r, err := registry.Virtual[P]{
		Kind: gv.WithKind(kind), New: func() P { return P(new(T)) }, Plural: singular + "s", Singular: singular, Namespaced: namespaced,
		Create: func(ctx context.Context, _ *rest.Request, name rest.Name, review P, _ metav1.CreateOptions) (P, error) {
			return review, answer(ctx, name, review)
		},
	}.Resource()
	if err != nil {
		return err
	}
	h.Resources = append(h.Resources, &r)
	return nil
}

// Invalid is the error of a review with mistakes, nil if there are none.
func Invalid(kind schema.GroupKind, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return rest.Invalid(kind, "", errs)
}

// NoMetadata says what is wrong with the metadata of a review, which has none: it is no object that
// anybody could find again.
func NoMetadata(meta metav1.ObjectMeta) field.ErrorList {
	meta.ManagedFields, meta.Namespace = nil, ""
	switch {
	//lint:ignore SA1019 clients of long ago may still send a selfLink
	case meta.Name != "" || meta.GenerateName != "" || meta.UID != "" || meta.ResourceVersion != "" || meta.Generation != 0 || meta.SelfLink != "",
		len(meta.Labels)+len(meta.Annotations)+len(meta.OwnerReferences)+len(meta.Finalizers) > 0,
		!meta.CreationTimestamp.IsZero() || meta.DeletionTimestamp != nil || meta.DeletionGracePeriodSeconds != nil:
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), "", "must be empty")}
	}
	return nil
}
