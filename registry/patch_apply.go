package registry

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/patch"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
)

// apply carries out an apply patch: the client names the fields that it cares for, and keeps or
// gets their ownership. An object that does not exist is made.
func (e *endpoint) apply(ctx context.Context, req *rest.Request, name rest.Name, text []byte, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	key, err := e.Key(name)
	if err != nil {
		return nil, false, err
	}
	applied, err := readApplied(&req.Notes, text, opts, e.readContent)
	if err != nil {
		return nil, false, err
	}
	w := e.updating(req, name, updateOptions(opts))
	for {
		entry, err := e.write(ctx, key, isDryRun(opts.DryRun), w.attempted, func(current storage.Entry) ([]byte, []storage.Op, error) {
			old, err := e.decodeCurrent(current)
			if err != nil {
				return nil, nil, err
			}
			live, err := e.owners.Live(old, current)
			if err != nil {
				return nil, nil, apierrors.NewInternalError(err)
			}
			runtime.Meta(live).ResourceVersion = storage.FormatRevision(current.Revision)
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			in, err := e.applyTo(live, applied, w.Request, name, opts)
			if err != nil {
				return nil, nil, err
			}
			hub, from := in.hub, in.from
			w.sent = in.sent
			meta := runtime.Meta(hub)
			if err := e.keepsUID(meta, runtime.Meta(old)); err != nil {
				return nil, nil, err
			}
			metadata.DropOwnersTwice(&w.Notes, meta, metadata.OwnersTwiceAfterAdmission)
			if err := e.validation().Size(meta, runtime.Meta(old)); err != nil {
				return nil, nil, err
			}
			if hub, err = e.mutate(ctx, w, hub, old); err != nil {
				return nil, nil, err
			}
			return e.replace(ctx, w, hub, from, old, current)
		})
		if err == nil {
			return e.View(entry), false, nil
		}
		if storage.CodeOf(err) != storage.CodeNotFound || e.subresource != "" {
			return nil, false, apistatus.Of(err, "patch", e.resource, name.Name)
		}
		view, err := e.createByApply(ctx, w, name, applied, opts)
		if apierrors.IsAlreadyExists(err) {
			continue // somebody else has created it meanwhile, so it can be applied to
		}
		return view, err == nil, err
	}
}

// readApplied reads an apply patch, which is JSON or YAML. read makes it of JSON, and says what is
// odd about that.
func readApplied(notes *rest.Notes, text []byte, opts metav1.PatchOptions, read func(data []byte) (appliedPatch, []error, error)) (appliedPatch, error) {
	data, duplicates, err := text, []error(nil), error(nil)
	if !json.Valid(text) {
		if data, duplicates, err = serializer.YAMLToJSON(text); err != nil {
			return appliedPatch{}, patch.Unreadable(err)
		}
	}
	applied, strict, err := read(data)
	if err != nil {
		return appliedPatch{}, err
	}
	for _, err := range append(duplicates, strict...) {
		switch opts.FieldValidation {
		case metav1.FieldValidationIgnore:
		case metav1.FieldValidationStrict:
			return appliedPatch{}, apierrors.NewBadRequest(fmt.Sprintf("error strict decoding patch: %v", err))
		default:
			notes.Warn(err.Error())
		}
	}
	return applied, nil
}

// applyTo returns the object that an apply patch makes of live. Its text is the JSON of live and of
// the patch.
func (e *endpoint) applyTo(live runtime.Object, applied appliedPatch, req *rest.Request, name rest.Name, opts metav1.PatchOptions) (in received, err error) {
	force := opts.Force != nil && *opts.Force
	obj, text, left, err := e.owners.Apply(live, applied.content, opts.FieldManager, force)
	if err != nil {
		return in, err
	}
	if left.Count > 0 {
		req.Warn(fmt.Sprintf("fields of %s that %q does not apply any more keep their values and have no manager, because another manager wrote in another version: %s", left.Version, opts.FieldManager, named(left.Paths, left.Count)))
	}
	meta := runtime.Meta(obj)
	if err := metadata.MatchName(meta, name); err != nil {
		return in, err
	}
	if err := metadata.PlaceIn(meta, e.Namespaced, name); err != nil {
		return in, err
	}
	if next, ok := obj.(ownership.Document); ok {
		if obj, text, err = e.owners.AppliedDocument(live.(ownership.Document), next); err != nil {
			return in, apierrors.NewInternalError(err)
		}
	}
	if in, err = e.received(req.Steps, obj, text); err != nil {
		return in, badDocument(err)
	}
	return in, nil
}

// createByApply makes an object of nothing but an apply patch.
func (e *endpoint) createByApply(ctx context.Context, w *write, name rest.Name, applied appliedPatch, opts metav1.PatchOptions) (rest.View, error) {
	if w.CreateDenied != nil {
		return nil, w.CreateDenied
	}
	applied = applied.toCreate()
	in, err := e.applyTo(e.owners.Nothing(), applied, w.Request, name, opts)
	if err != nil {
		return nil, apistatus.Of(err, "patch", e.resource, name.Name)
	}
	// The patch is the whole object: in this attempt, not in one that finds an object.
	hub, from, made := in.hub, in.from, *w
	made.sent = in.sent
	if made.sent.Text, err = runtimejson.AppendAny(nil, applied.content); err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if err := e.validation().Size(runtime.Meta(hub), nil); err != nil {
		return nil, err
	}
	// A manifest that was exported says at which revision: as in Kubernetes that is no reason not
	// to make the object again.
	runtime.Meta(hub).ResourceVersion = ""
	if err := e.makeUnseen(name, runtime.Meta(hub)); err != nil {
		return nil, err
	}
	return e.createOwned(ctx, &made, name, hub, from, metav1.CreateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation})
}
