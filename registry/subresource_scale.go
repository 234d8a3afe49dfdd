package registry

import (
	"context"
	"fmt"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/internal/patch"
	"github.com/typeplane/typeplane/registry/internal/subresource"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
)

// scaleEndpoint shows any object that has replicas as a Scale, so that one program can scale them
// all.
type scaleEndpoint struct {
	of       *endpoint
	replicas *subresource.Replicas
}

// Get reads the scale of one object.
func (s *scaleEndpoint) Get(ctx context.Context, name rest.Name, opts metav1.GetOptions) (rest.View, error) {
	entry, err := s.of.get(ctx, name, opts)
	if err != nil {
		return nil, err
	}
	return s.view(entry)
}

// Update changes how many replicas an object asks for. It is an update of the object: all of its
// rules hold.
func (s *scaleEndpoint) Update(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.UpdateOptions) (view rest.View, created bool, err error) {
	e, scale := s.of, obj.(*autoscalingv1.Scale)
	if err := metadata.MatchName(&scale.ObjectMeta, name); err != nil {
		return nil, false, err
	}
	if err := metadata.PlaceIn(&scale.ObjectMeta, e.Namespaced, name); err != nil {
		return nil, false, err
	}
	view, err = s.write(ctx, req, "update", name, &opts, func(storage.Entry, runtime.Object) (wanted, error) {
		return wanted{scale: scale}, nil
	})
	return view, false, err
}

// wanted is the next Scale of an object.
type wanted struct {
	scale *autoscalingv1.Scale
	// applied says that owners are those of the object from then on; else who writes owns what
	// changes.
	applied bool
	owners  []metav1.ManagedFieldsEntry
}

// write stores the object with the Scale that next makes for the current one, again for each
// attempt.
func (s *scaleEndpoint) write(ctx context.Context, req *rest.Request, verb string, name rest.Name, opts *metav1.UpdateOptions, next func(storage.Entry, runtime.Object) (wanted, error)) (rest.View, error) {
	e := s.of
	key, err := e.Key(name)
	if err != nil {
		return nil, err
	}
	w := e.updating(req, name, opts)
	w.judged = nil // it is the Scale that is admitted, not the object behind it
	entry, err := e.write(ctx, key, isDryRun(opts.DryRun), w.attempted, func(current storage.Entry) ([]byte, []storage.Op, error) {
		old, err := e.decodeCurrent(current)
		if err != nil {
			return nil, nil, err
		}
		want, err := next(current, old)
		if err != nil {
			return nil, nil, err
		}
		hub, _, err := s.scaled(want.scale, old)
		if err != nil {
			return nil, nil, err
		}
		if want.applied {
			runtime.Meta(hub).ManagedFields = want.owners
		} else {
			e.owners.Keep(w.Request, hub, nil, old, current, owners.Author{Manager: opts.FieldManager})
		}
		// What admission makes of the Scale belongs to nobody.
		scale, err := admitBody(ctx, e, sent{
			req: req, op: admission.Update, subresource: subresourceScale, name: name, kind: subresource.ScaleKind,
			new: func() apiruntime.Object { return subresource.NewScale() }, old: func() (apiruntime.Object, error) { return s.shown(current) },
			opts: opts, dryRun: isDryRun(opts.DryRun),
		}, want.scale.DeepCopy())
		if err != nil {
			return nil, nil, err
		}
		if err := subresource.ValidateScale(scale); err != nil {
			return nil, nil, err
		}
		hub, versioned, err := s.scaled(scale, hub)
		if err != nil {
			return nil, nil, err
		}
		w.sent = e.sentAs(versioned, nil)
		return e.replace(ctx, w, hub, nil, old, current)
	})
	if err != nil {
		return nil, apistatus.Of(err, verb, e.resource, name.Name)
	}
	return s.view(entry)
}

// Patch is Update with a patch of what Get shows.
func (s *scaleEndpoint) Patch(ctx context.Context, req *rest.Request, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	next, err := s.changed(ctx, req, name, patch, opts)
	if err != nil {
		return nil, false, err
	}
	view, err = s.write(ctx, req, "patch", name, updateOptions(opts), next)
	return view, false, err
}

// changed reads a patch, and returns what makes the next Scale by it.
func (s *scaleEndpoint) changed(ctx context.Context, req *rest.Request, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (func(storage.Entry, runtime.Object) (wanted, error), error) {
	if patch.Type == types.ApplyYAMLPatchType && s.of.owners.Tracked() {
		applied, err := s.readApplied(&req.Notes, patch.Bytes, opts)
		return func(current storage.Entry, old runtime.Object) (wanted, error) {
			return s.applied(applied, name, opts, current, old)
		}, err
	}
	r, err := s.of.newEdit(req, name, patch, opts, subresource.NewScale())
	return func(current storage.Entry, _ runtime.Object) (wanted, error) {
		scale, err := s.edited(ctx, r, current)
		return wanted{scale: scale}, err
	}, err
}

// edited makes the Scale that an edit asks for of a stored object.
func (s *scaleEndpoint) edited(ctx context.Context, r *edit, current storage.Entry) (*autoscalingv1.Scale, error) {
	shown, err := s.shown(current)
	if err != nil {
		return nil, err
	}
	before, err := serializer.Append(nil, shown, serializer.JSON, false)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	after, err := patch.Apply(r.change, before)
	if err != nil {
		return nil, s.of.misfit(r, err)
	}
	scale := new(autoscalingv1.Scale)
	gvk, strict, err := serializer.DecodeInto(after, serializer.JSON, subresource.ScaleKind, scale)
	if err == nil && gvk != subresource.ScaleKind {
		err = fmt.Errorf("it makes a %s of a %s: leave kind and apiVersion as they are", gvk, subresource.ScaleKind)
	}
	if err == nil {
		err = s.of.reportOdd(r, strict)
	}
	if err != nil {
		return nil, s.of.misfit(r, err)
	}
	if scale.Name != r.name.Name {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", scale.Name, r.name.Name))
	}
	return scale, metadata.PlaceIn(&scale.ObjectMeta, s.of.Namespaced, r.name)
}

// scaled returns the stored object with the replicas of a Scale, in the hub and in the endpoint's
// version. It has the uid of the Scale, and its resourceVersion if there is one: the update depends
// on them. old is not modified.
func (s *scaleEndpoint) scaled(scale *autoscalingv1.Scale, old runtime.Object) (hub, versioned runtime.Object, err error) {
	versioned, err = s.of.Kind.FromHub(s.of.deepCopy(old))
	if err != nil {
		return nil, nil, apierrors.NewInternalError(err)
	}
	s.of.Kind.SetReplicas(versioned, scale.Spec.Replicas)
	meta := runtime.Meta(versioned)
	meta.UID = scale.UID
	if scale.ResourceVersion != "" {
		meta.ResourceVersion = scale.ResourceVersion
	}
	if hub, err = s.of.Kind.ToHub(versioned); err != nil {
		return nil, nil, apierrors.NewInternalError(err)
	}
	return hub, versioned, nil
}

func (s *scaleEndpoint) view(entry storage.Entry) (rest.View, error) {
	scale, err := s.shown(entry)
	if err != nil {
		return nil, err
	}
	return view.Virtual{Obj: scale, Table: subresource.ScaleColumns}, nil
}

// shown is the scale of a stored object.
func (s *scaleEndpoint) shown(entry storage.Entry) (*autoscalingv1.Scale, error) {
	obj, err := s.of.Object(entry)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return s.replicas.Scale(obj), nil
}

// An apply patch of a Scale is one of the object behind it, of the field with the replicas. So the
// owners of that field in the object are asked. The manager that applies owns it by the subresource
// scale and in the object's version, as in Kubernetes. One that leaves the replicas out gives them
// up. What it says of the status has no effect.

// readApplied reads an apply patch of a Scale, and makes it one of the object.
func (s *scaleEndpoint) readApplied(notes *rest.Notes, text []byte, opts metav1.PatchOptions) (appliedPatch, error) {
	return readApplied(notes, text, opts, s.readContent)
}

// readContent is endpoint.readContent for a Scale.
func (s *scaleEndpoint) readContent(data []byte) (applied appliedPatch, strict []error, err error) {
	if strict, err = patch.ReadObject(data, &applied.content); err != nil {
		return applied, nil, err
	}
	if err := checkApplied(applied.content, subresource.ScaleKind); err != nil {
		return applied, nil, err
	}
	plain, err := runtimejson.AppendAny(nil, applied.content) // without fields that are there twice
	if err != nil {
		return applied, nil, apierrors.NewInternalError(err)
	}
	_, unknown, err := serializer.DecodeInto(plain, serializer.JSON, subresource.ScaleKind, new(autoscalingv1.Scale))
	if err == nil && len(unknown) > 0 {
		err = unknown[0]
	}
	if err != nil {
		return applied, nil, patch.Bad(err)
	}
	applied.content = s.replicas.Content(applied.content)
	return applied, strict, nil
}

// applied makes the next Scale of a stored object by an apply patch of the object.
func (s *scaleEndpoint) applied(patch appliedPatch, name rest.Name, opts metav1.PatchOptions, current storage.Entry, old runtime.Object) (wanted, error) {
	e := s.of
	live, err := e.owners.Live(old, current)
	if err != nil {
		return wanted{}, apierrors.NewInternalError(err)
	}
	runtime.Meta(live).ResourceVersion = storage.FormatRevision(current.Revision)
	in, err := e.applyTo(live, patch, new(rest.Request), name, opts)
	if err != nil {
		return wanted{}, err
	}
	owners, next := runtime.Meta(in.hub).ManagedFields, in.sent.Object
	if next == nil {
		if next, err = e.FromHub(in.hub); err != nil {
			return wanted{}, apierrors.NewInternalError(err)
		}
	}
	return wanted{scale: s.replicas.Scale(next), applied: true, owners: owners}, nil
}
