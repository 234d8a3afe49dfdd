package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/internal/patch"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
)

// Patch changes a part of an object. The patch is read once; everything from "read current" on runs
// again when another writer comes first, so that a patch which names no resourceVersion never fails
// because of one.
func (e *endpoint) Patch(ctx context.Context, req *rest.Request, name rest.Name, patch rest.Patch, opts metav1.PatchOptions) (view rest.View, created bool, err error) {
	if patch.Type == types.ApplyYAMLPatchType && e.owners.Tracked() {
		return e.apply(ctx, req, name, patch.Bytes, opts)
	}
	key, err := e.Key(name)
	if err != nil {
		return nil, false, err
	}
	r, err := e.newEdit(req, name, patch, opts, e.Kind.New())
	if err != nil {
		return nil, false, err
	}
	by, w := owners.Author{Manager: opts.FieldManager}, e.updating(req, name, updateOptions(opts))
	for {
		entry, err := e.write(ctx, key, isDryRun(opts.DryRun), w.attempted, func(current storage.Entry) ([]byte, []storage.Op, error) {
			old, err := e.decodeCurrent(current)
			if err != nil {
				return nil, nil, err
			}
			in, err := e.edited(ctx, r, old, current)
			if err != nil {
				return nil, nil, err
			}
			hub, from := in.hub, in.from
			w.sent = in.sent
			meta := runtime.Meta(hub)
			metadata.DropOwnersTwice(&w.Notes, meta, metadata.OwnersTwiceAfterAdmission)
			if err := e.validation().Size(meta, runtime.Meta(old)); err != nil {
				return nil, nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			e.owners.Keep(w.Request, hub, from, old, current, by)
			e.noteHub(w.Steps, rest.StepOwned, hub)
			if hub, err = e.mutate(ctx, w, hub, old); err != nil {
				return nil, nil, err
			}
			return e.replace(ctx, w, hub, from, old, current)
		})
		if err == nil {
			return e.View(entry), false, nil
		}
		if owners.TooLarge(err) && e.owners.Tracked() && !by.Unnamed {
			by.Unnamed = true
			continue
		}
		return nil, false, apistatus.Of(err, "patch", e.resource, name.Name)
	}
}

// edit is what a client wants to have changed, ready to be applied as often as it takes.
type edit struct {
	notes  *rest.Notes
	steps  *rest.Steps
	name   rest.Name
	opts   metav1.PatchOptions
	text   []byte
	change patch.Change
	strict []error // what is odd about the patch itself
}

// newEdit reads a patch. of is an empty object of what it is for.
func (e *endpoint) newEdit(req *rest.Request, name rest.Name, p rest.Patch, opts metav1.PatchOptions, of any) (*edit, error) {
	r := &edit{notes: &req.Notes, steps: req.Steps, name: name, opts: opts, text: p.Bytes}
	var err error
	switch p.Type {
	case types.JSONPatchType:
		r.change, r.strict, err = patch.NewJSON(p.Bytes)
	case types.MergePatchType:
		r.change, r.strict, err = patch.NewMerge(p.Bytes)
	case types.StrategicMergePatchType:
		r.change, r.strict, err = patch.NewStrategic(p.Bytes, of)
	default:
		err = apierrors.NewBadRequest(fmt.Sprintf("%s is not a type of patch that %s take", p.Type, e.resource))
	}
	return r, err
}

// edited returns the object that a patch makes of old, which current holds. It may share memory
// with old.
func (e *endpoint) edited(ctx context.Context, r *edit, old runtime.Object, current storage.Entry) (in received, err error) {
	after, err := e.changed(ctx, r, old, current)
	if err != nil {
		return in, err
	}
	if err := ctx.Err(); err != nil {
		return in, err
	}

	// From here on it is an object that a client sent.
	want := e.Kind.GroupVersionKind()
	decoded, err := serializer.DecodeBody(e.codec.Scheme, after, serializer.JSON, want)
	if err == nil && decoded.GroupVersionKind != want {
		err = fmt.Errorf("it makes a %s of a %s: leave kind and apiVersion as they are", decoded.GroupVersionKind, want)
	}
	if err != nil && !e.Kind.Protobuf() {
		if status := e.misread(after, r.opts.FieldValidation == metav1.FieldValidationStrict); status != nil {
			err = status
		}
	}
	if err != nil {
		return in, e.misfit(r, err)
	}
	if err := e.reportOdd(r, decoded.Strict); err != nil {
		return in, e.misfit(r, err)
	}
	meta := runtime.Meta(decoded.Object)
	if meta.Name != r.name.Name {
		return in, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)", meta.Name, r.name.Name))
	}
	if err := metadata.PlaceIn(meta, e.Namespaced, r.name); err != nil {
		return in, err
	}
	if err := e.keepsUID(meta, runtime.Meta(old)); err != nil {
		return in, err
	}
	if in, err = e.received(r.steps, decoded.Object, decoded.JSON); err != nil {
		return in, e.misfit(r, err)
	}
	return in, nil
}

// editables have room for the JSON of an object that is patched.
var editables = sync.Pool{New: func() any { return new([]byte) }}

// changed is the JSON of what an edit makes of the object. The error is an API status.
func (e *endpoint) changed(ctx context.Context, r *edit, old runtime.Object, current storage.Entry) ([]byte, error) {
	room := editables.Get().(*[]byte)
	defer editables.Put(room)
	before, err := e.editable((*room)[:0], old, current)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	after, err := patch.Apply(r.change, before)
	if err != nil {
		return nil, e.misfit(r, err)
	}
	if *room = before; len(after) > 0 && &after[0] == &before[0] {
		*room = nil // a patch that changes nothing returns what it was given
	}
	return after, nil
}

// editable appends what a patch is meant for: the object as the client sees it, in the version of
// the request, with its resourceVersion.
func (e *endpoint) editable(dst []byte, old runtime.Object, current storage.Entry) ([]byte, error) {
	if text, ok, err := e.AppendStored(dst, current); ok || err != nil {
		return text, err
	}
	if e.ShowsDocuments() {
		meta, doc, err := e.Parts(current.Value)
		if err != nil {
			return nil, err
		}
		meta.ResourceVersion = storage.FormatRevision(current.Revision)
		return canonical.AppendDocument(dst, canonical.HeadOf(e.Kind), meta, doc)
	}
	versioned, err := e.FromHub(old)
	if err != nil {
		return nil, err
	}
	runtime.Meta(versioned).ResourceVersion = storage.FormatRevision(current.Revision)
	return serializer.AppendKind(dst, e.Kind, versioned, serializer.JSON, false)
}

// reportOdd deals with what is odd about an edit and about what it makes, as the client wants it.
func (e *endpoint) reportOdd(r *edit, strict []error) error {
	decoded := serializer.Decoded{Strict: append(r.strict[:len(r.strict):len(r.strict)], strict...)}
	switch r.opts.FieldValidation {
	case metav1.FieldValidationIgnore:
	case metav1.FieldValidationStrict:
		return decoded.StrictError()
	default:
		for _, err := range decoded.Strict {
			r.notes.Warn(err.Error())
		}
	}
	return nil
}

// misfit is the status of a patch that can be read, but not applied to the object, or makes none.
func (e *endpoint) misfit(r *edit, err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		return err
	}
	return e.validation().Invalid(r.name.Name, field.ErrorList{field.Invalid(field.NewPath("patch"), excerpt(r.text), err.Error())})
}

// excerpt is the beginning of a patch, for messages.
func excerpt(text []byte) string {
	const length = 256
	if len(text) <= length {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:length]), "") + " ..."
}
