package registry

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
)

// admit shows admission the Scale that a client wants, and returns what admission makes of it. It is the Scale that is admitted,
// not the object behind it.
func (s *scaleEndpoint[T]) admit(ctx context.Context, name rest.Name, opts *metav1.UpdateOptions, scale *autoscalingv1.Scale, current storage.Entry) (*autoscalingv1.Scale, error) {
	e := s.of
	resource := e.resource.WithVersion(e.kind.GroupVersionKind().Version)
	request := e.asked(&admission.Request{
		Operation:   admission.Update,
		Resource:    resource,
		Subresource: subresourceScale,
		Kind:        scaleKind,
		Namespace:   name.Namespace,
		Name:        name.Name,
		Options:     opts,
		DryRun:      isDryRun(opts.DryRun),
		Forms:       scaleForms{admission.Version{Resource: resource, Kind: scaleKind}},
	})
	if request == nil {
		return scale, nil
	}
	old, err := s.shown(current)
	if err != nil {
		return nil, err
	}
	request.Object, request.Old = scale.DeepCopy(), old
	if err := e.admission.Mutate(ctx, request); err != nil {
		return nil, err
	}
	next, ok := request.Object.(*autoscalingv1.Scale)
	if !ok {
		return nil, apierrors.NewInternalError(fmt.Errorf("admission made a %T of a Scale", request.Object))
	}
	return next, e.admission.Validate(ctx, request)
}

// scaleForms shows admission the one version of a Scale.
type scaleForms struct{ version admission.Version }

func (f scaleForms) Versions() []admission.Version { return []admission.Version{f.version} }

func (f scaleForms) Encode(obj apiruntime.Object, _ admission.Version) ([]byte, error) {
	scale := obj.DeepCopyObject()
	scale.GetObjectKind().SetGroupVersionKind(scaleKind)
	return serializer.Append(nil, scale, serializer.JSON, false)
}

func (f scaleForms) Decode(data []byte, _ admission.Version) (apiruntime.Object, error) {
	scale := new(autoscalingv1.Scale)
	gvk, _, err := serializer.DecodeInto(data, serializer.JSON, scaleKind, scale)
	if err == nil && gvk != scaleKind {
		err = fmt.Errorf("it is a %s, want a %s", gvk, scaleKind)
	}
	return scale, err
}
