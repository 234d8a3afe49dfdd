package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// metadataField is the number of ObjectMeta in the message of every kind, managedFieldsField that
// of managedFields in it.
const (
	metadataField      = 1
	managedFieldsField = 17
)

// Update replaces an object. Everything from "read current" on runs again when another writer comes
// first.
func (e *endpoint) Update(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.UpdateOptions) (view rest.View, created bool, err error) {
	versioned, text := e.sent(obj)

	// The name and the namespace are those of the request.
	meta := runtime.Meta(versioned)
	if err := metadata.MatchName(meta, name); err != nil {
		return nil, false, err
	}
	if err := metadata.PlaceIn(meta, e.Namespaced, name); err != nil {
		return nil, false, err
	}
	key, err := e.Key(name)
	if err != nil {
		return nil, false, err
	}

	metadata.DropOwnersTwice(&req.Notes, meta, metadata.OwnersTwice)

	// Default in the version of the request, on to the hub, and there what the storage version's
	// defaults add.
	in, err := e.received(req.Steps, versioned, text)
	if err != nil {
		return nil, false, badDocument(err)
	}

	by, w := owners.Author{Manager: opts.FieldManager}, e.updating(req, name, &opts)
	wish := intended{endpoint: e, body: req.Sent, name: name, text: text != nil, meta: meta, received: in}
	for {
		entry, err := e.write(ctx, key, isDryRun(opts.DryRun), w.attempted, func(current storage.Entry) ([]byte, []storage.Op, error) {
			// Read current.
			old, err := e.decodeCurrent(current)
			if err != nil {
				return nil, nil, err
			}
			in, meta, err := wish.next()
			if err != nil {
				return nil, nil, err
			}
			next, from := in.hub, in.from
			w.sent = in.sent
			if err := e.validation().Size(meta, runtime.Meta(old)); err != nil {
				return nil, nil, err
			}

			// Field ownership: what comes after it belongs to nobody.
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			e.owners.Keep(w.Request, next, from, old, current, by)
			e.noteHub(w.Steps, rest.StepOwned, next)

			// Mutating admission.
			if next, err = e.mutate(ctx, w, next, old); err != nil {
				return nil, nil, err
			}
			return e.replace(ctx, w, next, from, old, current)
		})
		if err == nil {
			return e.View(entry), false, nil
		}
		if owners.TooLarge(err) && e.owners.Tracked() && !by.Unnamed {
			by.Unnamed = true
			continue
		}
		if storage.CodeOf(err) != storage.CodeNotFound || e.subresource != "" || !e.def.Strategy.AllowCreateOnUpdate {
			return nil, false, apistatus.Of(err, "update", e.resource, name.Name)
		}
		in, _, err := wish.next()
		if err != nil {
			return nil, false, err
		}
		view, err := e.createByUpdate(ctx, w, name, in, opts)
		if apierrors.IsAlreadyExists(err) {
			continue // somebody else has created it meanwhile, so it can be updated
		}
		return view, err == nil, err
	}
}

// replace is where every kind of change meets. It makes the value that follows current of hub: what
// the client and mutating admission want the object to be, with its owners. The entry current holds
// old. Both hub and old belong to it. The origin from is what hub was made of; nil means old.
func (e *endpoint) replace(ctx context.Context, w *write, hub runtime.Object, from *canonical.Origin, old runtime.Object, current storage.Entry) ([]byte, []storage.Op, error) {
	strategy, meta, oldMeta := &e.def.Strategy, runtime.Meta(hub), runtime.Meta(old)
	e.noteHub(w.Steps, rest.StepMutated, hub)

	// Preconditions that the object itself states.
	if meta.UID != "" && meta.UID != oldMeta.UID {
		return nil, nil, e.otherObject(meta.UID, string(oldMeta.UID), meta.Name)
	}
	if err := e.checkRevision(meta, current.Revision); err != nil {
		return nil, nil, err
	}

	// Keep what an update can't change.
	metadata.KeepSystemFields(meta, oldMeta)
	hub, err := e.counted(ctx, hub, old)
	if err != nil {
		return nil, nil, err
	}
	from, err = e.countedOrigin(from, current.Value)
	if err != nil {
		return nil, nil, apierrors.NewInternalError(err)
	}
	meta = runtime.Meta(hub)

	// PrepareForUpdate, or that of the status.
	if prepare := e.preparing(); prepare != nil {
		prepare(ctx, hub, old)
	}
	e.noteHub(w.Steps, rest.StepPrepared, hub)
	if e.subresource == "" {
		if err := w.Check(ctx, hub, old); err != nil {
			return nil, nil, err
		}
	}

	// Validate.
	if err := e.validation().Update(ctx, w.sent, hub, old, from, current.Value); err != nil {
		return nil, nil, err
	}
	e.warnChanged(ctx, w, hub, old)
	e.warnDropped(w, hub, old, current)

	// Canonicalize.
	if strategy.Canonicalize != nil {
		strategy.Canonicalize(hub)
	}
	e.noteHub(w.Steps, rest.StepCanonicalized, hub)

	// Validating admission, and what it writes with the object. An object that is being deleted and
	// has lost its last finalizer is not written any more.
	if err := e.admit(ctx, w.judged, hub, old); err != nil {
		return nil, nil, err
	}
	finished := oldMeta.DeletionTimestamp != nil && len(meta.Finalizers) == 0 && !inGrace(oldMeta) && !e.held(hub)
	var with []storage.Op
	if !finished {
		if with, err = e.transact(ctx, w.attempted, hub, old); err != nil {
			return nil, nil, err
		}
	}

	// Default in the storage version once more, encode; with the next generation if more than
	// metadata and status changed.
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	value, err := e.encodeHub(hub, from)
	if err != nil {
		return nil, nil, err
	}
	same, err := e.sameSpec(value, current.Value)
	if err != nil {
		return nil, nil, apierrors.NewInternalError(err)
	}
	switch {
	case !same && e.metadata.Generation:
		meta.Generation = oldMeta.Generation + 1
		if value, err = e.encodeHub(hub, from); err != nil {
			return nil, nil, err
		}
	case same && owners.SameOwners(meta.ManagedFields, oldMeta.ManagedFields):
		// It is no change that somebody wrote again what was there.
		unchanged, err := sameButOwners(value, current.Value)
		if err != nil {
			return nil, nil, apierrors.NewInternalError(err)
		}
		if unchanged {
			value = current.Value
		}
	}
	e.noteStored(w.Steps, current.Key, value)

	if finished {
		gone := &finishedError{value: value, current: current}
		gone.with, gone.over = e.transactFinished(w, old)
		return nil, nil, gone
	}
	// The store writes nothing for the very same value.
	if bytes.Equal(value, current.Value) {
		return current.Value, nil, nil
	}
	return value, with, nil
}

// createByUpdate creates the object of an update, for kinds that allow it. in belongs to it.
func (e *endpoint) createByUpdate(ctx context.Context, w *write, name rest.Name, in received, opts metav1.UpdateOptions) (rest.View, error) {
	hub, from := in.hub, in.from
	w.sent = in.sent
	if w.CreateDenied != nil {
		return nil, w.CreateDenied
	}
	if err := e.validation().Size(runtime.Meta(hub), nil); err != nil {
		return nil, err
	}
	if err := e.makeUnseen(name, runtime.Meta(hub)); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.owners.KeepNew(w.Request, hub, from, opts.FieldManager)
	e.noteHub(w.Steps, rest.StepOwned, hub)
	return e.createOwned(ctx, w, name, hub, from, metav1.CreateOptions{DryRun: opts.DryRun, FieldManager: opts.FieldManager, FieldValidation: opts.FieldValidation})
}

// makeUnseen wipes what the client of a create may not set. One that names a uid or a
// resourceVersion means an object that it has seen, so there is nothing to create.
func (e *endpoint) makeUnseen(name rest.Name, meta *metav1.ObjectMeta) error {
	if meta.UID != "" || meta.ResourceVersion != "" && meta.ResourceVersion != "0" {
		return apierrors.NewConflict(e.resource, name.Name, errors.New("the object was deleted in the meantime"))
	}
	meta.ResourceVersion = ""
	metadata.WipeSystemFields(meta)
	return nil
}

// sameSpec says whether two canonical values are the same except for metadata and status.
func (s *store) sameSpec(a, b []byte) (bool, error) {
	return sameBut(a, b, metadataField, s.codec.StatusField())
}

// sameButOwners says whether two canonical values are the same except for managedFields.
func sameButOwners(a, b []byte) (bool, error) {
	if same, err := sameBut(a, b, metadataField); err != nil || !same {
		return false, err
	}
	ma, err := wire.ObjectMeta(a)
	if err != nil {
		return false, err
	}
	mb, err := wire.ObjectMeta(b)
	if err != nil {
		return false, err
	}
	return wire.EqualExcept(ma, mb, managedFieldsField)
}

// sameBut says whether two canonical values are the same except for some fields.
func sameBut(a, b []byte, fields ...int32) (bool, error) {
	ea, err := wire.ParseEnvelope(a)
	if err != nil {
		return false, err
	}
	eb, err := wire.ParseEnvelope(b)
	if err != nil {
		return false, err
	}
	return wire.EqualExcept(ea.Raw, eb.Raw, fields...)
}

// otherObjectError says that the object of a name is another one than was meant.
type otherObjectError struct{ *apierrors.StatusError }

func (e otherObjectError) Unwrap() error { return e.StatusError }

// otherObject refuses to touch another object of the same name than the one with the uid that is
// wanted.
func (e *endpoint) otherObject(want types.UID, have, name string) error {
	//lint:ignore ST1005 the words of Kubernetes, which clients look for
	return otherObjectError{apierrors.NewConflict(e.resource, name, fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", want, have))}
}

// checkRevision refuses an update of another version than the client has seen. It fills in the
// resourceVersion if the client may leave it out. The refusal names the resource, as in Kubernetes.
func (e *endpoint) checkRevision(meta *metav1.ObjectMeta, current int64) error {
	have := storage.FormatRevision(current)
	if meta.ResourceVersion == "" || meta.ResourceVersion == "0" {
		if !e.unconditional() {
			resource := schema.GroupKind{Group: e.resource.Group, Kind: e.resource.Resource}
			return rest.Invalid(resource, meta.Name, field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update")})
		}
		meta.ResourceVersion = have
		return nil
	}
	if _, err := storage.ParseRevision(meta.ResourceVersion); err != nil {
		return e.validation().Invalid(meta.Name, field.ErrorList{field.Invalid(field.NewPath("metadata", "resourceVersion"), meta.ResourceVersion, "must be the resourceVersion of an object that was read")})
	}
	if meta.ResourceVersion != have {
		return apierrors.NewConflict(e.resource, meta.Name, apistatus.ErrModified)
	}
	return nil
}

// unconditional reports whether an update may leave out the resourceVersion.
func (s *store) unconditional() bool {
	if allowed := s.def.Strategy.AllowUnconditionalUpdate; allowed != nil {
		return *allowed
	}
	return s.codec.Documents == nil
}

// keepsUID refuses a patch that makes another object of one: to an update the uid is a
// precondition, a patch would change it.
func (e *endpoint) keepsUID(patched, old *metav1.ObjectMeta) error {
	if patched.UID == "" || patched.UID == old.UID {
		return nil
	}
	return e.validation().Invalid(old.Name, field.ErrorList{field.Invalid(field.NewPath("metadata", "uid"), patched.UID, "field is immutable")})
}

// preparing is what the strategy does to an object that is written at the endpoint, nil for
// nothing.
func (e *endpoint) preparing() func(ctx context.Context, obj, old runtime.Object) {
	switch e.subresource {
	case "":
		return e.def.Strategy.PrepareForUpdate
	case subresourceStatus:
		return e.def.Strategy.StatusUpdate.Prepare
	}
	return nil
}
