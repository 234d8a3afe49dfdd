package main

import (
	"context"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	genericregistry "k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
)

// statusStrategy changes the status only.
type statusStrategy struct{ strategy }

func (s statusStrategy) PrepareForUpdate(_ context.Context, obj, old runtime.Object) {
	s.kind.updateStatus(obj, old)
}

// statusStorage has the verbs of a status.
type statusStorage struct{ store *genericregistry.Store }

func (s *statusStorage) New() runtime.Object { return s.store.New() }
func (s *statusStorage) Destroy()            {}

func (s *statusStorage) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	return s.store.Get(ctx, name, options)
}

func (s *statusStorage) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	return s.store.Update(ctx, name, info, create, update, false, options)
}

func (s *statusStorage) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.store.ConvertToTable(ctx, object, options)
}

// scaling reads and sets replicas.
type scaling struct {
	of  func(obj runtime.Object) *autoscalingv1.Scale
	set func(obj runtime.Object, replicas int32)
}

// scaleStorage shows an object as a Scale.
type scaleStorage struct {
	store *genericregistry.Store
	*scaling
}

func (s *scaleStorage) New() runtime.Object { return new(autoscalingv1.Scale) }
func (s *scaleStorage) Destroy()            {}

func (s *scaleStorage) GroupVersionKind(schema.GroupVersion) schema.GroupVersionKind {
	return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
}

func (s *scaleStorage) Get(ctx context.Context, name string, options *metav1.GetOptions) (runtime.Object, error) {
	obj, err := s.store.Get(ctx, name, options)
	if err != nil {
		return nil, err
	}
	return s.of(obj), nil
}

func (s *scaleStorage) Update(ctx context.Context, name string, info rest.UpdatedObjectInfo, create rest.ValidateObjectFunc, update rest.ValidateObjectUpdateFunc, _ bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	obj, _, err := s.store.Update(ctx, name, &scaleUpdate{info, s.scaling}, rest.ValidateAllObjectFunc, rest.ValidateAllObjectUpdateFunc, false, options)
	if err != nil {
		return nil, false, err
	}
	return s.of(obj), false, nil
}

func (s *scaleStorage) ConvertToTable(ctx context.Context, object, options runtime.Object) (*metav1.Table, error) {
	return s.store.ConvertToTable(ctx, object, options)
}

// scaleUpdate makes the update of a Scale one of the object.
type scaleUpdate struct {
	info rest.UpdatedObjectInfo
	*scaling
}

func (u *scaleUpdate) Preconditions() *metav1.Preconditions { return u.info.Preconditions() }

func (u *scaleUpdate) UpdatedObject(ctx context.Context, old runtime.Object) (runtime.Object, error) {
	changed, err := u.info.UpdatedObject(ctx, u.of(old))
	if err != nil {
		return nil, err
	}
	scale, ok := changed.(*autoscalingv1.Scale)
	if !ok {
		return nil, errors.NewBadRequest("want a Scale")
	}
	obj := old.DeepCopyObject()
	u.set(obj, scale.Spec.Replicas)
	return obj, nil
}
