// Package review makes a resource of a function: one that can only be created, and whose answer is what the function fills
// in. Nothing is stored. It is how the review kinds of Kubernetes are served.
package review

import (
	"context"
	"io"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/boot"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// Object is a pointer to a review.
type Object[T any] interface {
	*T
	rest.Body
}

// Add serves a kind, if the operator wants it. answer fills in its status; name is the namespace that it is asked in, for
// one that has namespaced set. Its errors are API statuses; an error of fields becomes one with Invalid.
func Add[T any, P Object[T]](h *boot.Host, gv schema.GroupVersion, kind string, namespaced bool, answer func(ctx context.Context, name rest.Name, review P) error) {
	singular := strings.ToLower(kind)
	if !h.Enabled(singular + "s") {
		return
	}
	gvk := gv.WithKind(kind)
	h.Resources = append(h.Resources, rest.Resource{
		GroupVersion: gv, Kind: kind, Name: singular + "s", Singular: singular, Namespaced: namespaced, StorageVersion: gv,
		BodyKind: gvk,
		NewBody:  func() rest.Body { return P(new(T)) },
		Create:   creator[T, P]{gvk, answer},
	})
}

type creator[T any, P Object[T]] struct {
	kind   schema.GroupVersionKind
	answer func(context.Context, rest.Name, P) error
}

// Create answers the review. A dry run is no different.
func (c creator[T, P]) Create(ctx context.Context, name rest.Name, obj apiruntime.Object, _ metav1.CreateOptions) (rest.View, error) {
	review := any(obj).(P)
	meta := review.GetObjectMeta()
	if name.Namespace != "" && meta.GetNamespace() == "" {
		meta.SetNamespace(name.Namespace)
	}
	if meta.GetNamespace() != name.Namespace {
		return nil, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
	}
	if err := c.answer(ctx, name, review); err != nil {
		return nil, err
	}
	review.GetObjectKind().SetGroupVersionKind(c.kind)
	return view{review}, nil
}

// Invalid is the error of a review with mistakes, nil if there are none.
func Invalid(kind schema.GroupKind, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(kind, "", errs)
}

// NoMetadata says what is wrong with the metadata of a review, which has none: it is no object that anybody could find again.
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

// view is a review as an answer.
type view struct{ obj apiruntime.Object }

// WriteTo writes it as what it is: there is nothing else to make of it.
func (v view) WriteTo(w io.Writer, form rest.Form) error {
	if form.As != rest.AsObject {
		return &apierrors.StatusError{ErrStatus: metav1.Status{
			Status: metav1.StatusFailure, Code: 406, Reason: metav1.StatusReasonNotAcceptable,
			Message: "a review is sent as it is: ask for application/json or application/vnd.kubernetes.protobuf without as=",
		}}
	}
	return serializer.Encode(w, v.obj, serializer.MediaType(form.MediaType), form.Pretty)
}
