package registry

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
)

// scaleEndpoint shows any object that has replicas as a Scale, so that one program can scale them all.
type scaleEndpoint[T runtime.Object] struct {
	of *endpoint[T]
}

func newScale() rest.Body { return new(autoscalingv1.Scale) }

// Get reads the scale of one object.
func (s *scaleEndpoint[T]) Get(ctx context.Context, name rest.Name, opts metav1.GetOptions) (rest.View, error) {
	entry, err := s.of.get(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	return s.view(entry)
}

// Update changes how many replicas an object asks for. It is an update of the object: all of its rules hold.
func (s *scaleEndpoint[T]) Update(ctx context.Context, name rest.Name, obj apiruntime.Object, opts metav1.UpdateOptions) (view rest.View, created bool, err error) {
	e, scale := s.of, obj.(*autoscalingv1.Scale)
	if err := matchName(&scale.ObjectMeta, name); err != nil {
		return nil, false, err
	}
	if err := e.matchNamespace(&scale.ObjectMeta, name); err != nil {
		return nil, false, err
	}
	view, err = s.write(ctx, "update", name, &opts, func(storage.Entry) (*autoscalingv1.Scale, error) {
		return scale, nil
	})
	return view, false, err
}

// write stores the object with the Scale that next makes for the current one, again for each attempt.
func (s *scaleEndpoint[T]) write(ctx context.Context, verb string, name rest.Name, opts *metav1.UpdateOptions, next func(storage.Entry) (*autoscalingv1.Scale, error)) (rest.View, error) {
	e := s.of
	key, err := e.key(name)
	if err != nil {
		return nil, err
	}
	charged := e.request(admission.Update, name, opts, opts.DryRun)
	entry, err := e.write(ctx, key, isDryRun(opts.DryRun), charged, func(current storage.Entry) ([]byte, []storage.Op, error) {
		old, err := e.decodeCurrent(current)
		if err != nil {
			return nil, nil, err
		}
		scale, err := next(current)
		if err != nil {
			return nil, nil, err
		}
		// It is the Scale that is admitted, not the object behind it.
		scale, err = admitBody(ctx, e, sent{
			op: admission.Update, subresource: subresourceScale, name: name, kind: scaleKind,
			new: func() apiruntime.Object { return newScale() }, old: func() (apiruntime.Object, error) { return s.shown(current) },
			opts: opts, dryRun: isDryRun(opts.DryRun),
		}, scale.DeepCopy())
		if err != nil {
			return nil, nil, err
		}
		hub, err := s.scaled(scale, old)
		if err != nil {
			return nil, nil, err
		}
		e.own(ctx, hub, old, author{manager: opts.FieldManager})
		return e.replaceBy(ctx, nil, charged, hub, old, current)
	})
	if err != nil {
		return nil, statusOf(err, verb, e.resource, name.Name)
	}
	return s.view(entry)
}

// scalePatchTypes are those that need to know nothing of the kind.
var scalePatchTypes = []types.PatchType{types.MergePatchType, types.JSONPatchType}

// Patch is Update with a patch of what Get shows.
func (s *scaleEndpoint[T]) Patch(ctx context.Context, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	r, err := s.of.newEdit(name, patch, opts)
	if err != nil {
		return nil, false, err
	}
	view, err = s.write(ctx, "patch", name, updateOptions(opts), func(current storage.Entry) (*autoscalingv1.Scale, error) {
		return s.edited(ctx, r, current)
	})
	return view, false, err
}

// edited makes the Scale that an edit asks for of a stored object.
func (s *scaleEndpoint[T]) edited(ctx context.Context, r *edit, current storage.Entry) (*autoscalingv1.Scale, error) {
	shown, err := s.shown(current)
	if err != nil {
		return nil, err
	}
	before, err := serializer.Append(nil, shown, serializer.JSON, false)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	after, err := guarded(r.change, before)
	if err != nil {
		return nil, s.of.misfit(r, err)
	}
	scale := new(autoscalingv1.Scale)
	gvk, strict, err := serializer.DecodeInto(after, serializer.JSON, scaleKind, scale)
	if err == nil && gvk != scaleKind {
		err = fmt.Errorf("it makes a %s of a %s: leave kind and apiVersion as they are", gvk, scaleKind)
	}
	if err == nil {
		err = s.of.judge(ctx, r, strict)
	}
	if err != nil {
		return nil, s.of.misfit(r, err)
	}
	if scale.Name != r.name.Name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", scale.Name, r.name.Name))
	}
	return scale, s.of.matchNamespace(&scale.ObjectMeta, r.name)
}

// scaled makes the object that a Scale asks for of the stored one. uid and resourceVersion of the Scale are those that
// the update depends on. old is not modified.
func (s *scaleEndpoint[T]) scaled(scale *autoscalingv1.Scale, old T) (T, error) {
	var none T
	if scale.Spec.Replicas < 0 {
		return none, apierrors.NewInvalid(scaleKind.GroupKind(), scale.Name, field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), scale.Spec.Replicas, "must be greater than or equal to 0"),
		})
	}
	versioned, err := s.of.kind.FromHub(s.of.deepCopy(old))
	if err != nil {
		return none, apierrors.NewInternalError(err)
	}
	s.of.kind.SetReplicas(versioned, scale.Spec.Replicas)
	meta := runtime.Meta(versioned)
	meta.UID, meta.ResourceVersion = scale.UID, scale.ResourceVersion
	hub, err := toHub[T](s.of.kind, versioned)
	if err != nil {
		return none, apierrors.NewInternalError(err)
	}
	return hub, nil
}

func (s *scaleEndpoint[T]) view(entry storage.Entry) (rest.View, error) {
	scale, err := s.shown(entry)
	if err != nil {
		return nil, err
	}
	return structView{scale}, nil
}

// shown is the scale of a stored object.
func (s *scaleEndpoint[T]) shown(entry storage.Entry) (*autoscalingv1.Scale, error) {
	obj, err := s.of.object(entry)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	meta, scale := runtime.Meta(obj), s.of.kind.Scale(obj)
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{Kind: scaleKind.Kind, APIVersion: scaleKind.GroupVersion().String()},
		ObjectMeta: metav1.ObjectMeta{
			Name:              meta.Name,
			Namespace:         meta.Namespace,
			UID:               meta.UID,
			ResourceVersion:   meta.ResourceVersion,
			CreationTimestamp: meta.CreationTimestamp,
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: scale.Replicas},
		Status: autoscalingv1.ScaleStatus{Replicas: scale.Current, Selector: scale.Selector},
	}, nil
}
