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
		Forms:       bodyForms{e.bodyVersions(scaleKind), func() apiruntime.Object { return newScale() }},
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
