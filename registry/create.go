package registry

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// generateAttempts is how many names are tried for a generateName before the client must try again.
const generateAttempts = 8

// Create makes a new object. The order of the steps is part of the contract; what comes before a
// step sees the object without its effect. Between those that take time for a large object it ends
// if the client has left.
func (e *endpoint) Create(ctx context.Context, req *rest.Request, name rest.Name, obj rest.Body, opts metav1.CreateOptions) (rest.View, error) {
	versioned, text := e.sent(obj)
	w := &write{Request: req}

	// The namespace, and the name, are those of the request.
	meta := runtime.Meta(versioned)
	if err := metadata.PlaceIn(meta, e.Namespaced, name); err != nil {
		return nil, err
	}
	if name.Name != "" {
		if err := metadata.MatchName(meta, name); err != nil {
			return nil, err
		}
	}

	// Wipe what clients may not set, and look at how much there is of the rest.
	metadata.WipeSystemFields(meta)
	metadata.DropOwnersTwice(&w.Notes, meta, metadata.OwnersTwice)
	if err := e.validation().Size(meta, nil); err != nil {
		return nil, err
	}

	// Default in the version of the request, on to the hub, and there what the storage version's
	// defaults add.
	in, err := e.received(w.Steps, versioned, text)
	if err != nil {
		return nil, badDocument(err)
	}
	hub, from := in.hub, in.from
	w.sent = in.sent

	// Field ownership: what comes after it belongs to nobody.
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.owners.KeepNew(w.Request, hub, from, opts.FieldManager)
	e.noteHub(w.Steps, rest.StepOwned, hub)

	return e.createOwned(ctx, w, name, hub, from, opts)
}

// createOwned goes on with an object that knows its owners, and was made of from. hub belongs to
// it.
func (e *endpoint) createOwned(ctx context.Context, w *write, name rest.Name, hub runtime.Object, from *canonical.Origin, opts metav1.CreateOptions) (rest.View, error) {
	// Mutating admission.
	w = w.as(e.request(w, admission.Create, rest.Name{Namespace: name.Namespace, Name: runtime.Meta(hub).Name}, &opts, opts.DryRun))
	hub, err := e.mutate(ctx, w, hub, nil)
	if err != nil {
		return nil, err
	}
	e.noteHub(w.Steps, rest.StepMutated, hub)

	// Fill the metadata, and the name.
	meta := runtime.Meta(hub)
	e.metadata.FillSystemFields(meta)
	if meta.Name != "" || meta.GenerateName == "" {
		return e.createNamed(ctx, w, hub, from, opts)
	}
	base := meta.GenerateName
	for range generateAttempts {
		attempt := e.deepCopy(hub)
		meta = runtime.Meta(attempt)
		meta.Name = metadata.GenerateName(base)
		view, err := e.createNamed(ctx, w, attempt, from, opts)
		if !apierrors.IsAlreadyExists(err) {
			return view, err
		}
	}
	return nil, apierrors.NewGenerateNameConflict(e.resource, meta.Name, 1)
}

// createNamed goes on with an object whose metadata is complete. hub belongs to it.
func (e *endpoint) createNamed(ctx context.Context, w *write, hub runtime.Object, from *canonical.Origin, opts metav1.CreateOptions) (rest.View, error) {
	strategy, meta := &e.def.Strategy, runtime.Meta(hub)

	// PrepareForCreate.
	from, err := e.resetStatus(hub, from)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	if strategy.PrepareForCreate != nil {
		strategy.PrepareForCreate(ctx, hub)
	}
	e.noteHub(w.Steps, rest.StepPrepared, hub)
	if err := w.Check(ctx, hub, nil); err != nil {
		return nil, err
	}

	// Validate.
	rules := e.validation()
	rules.KeepsStatus = rules.KeepsStatus && !strategy.StatusOnCreate
	if err := rules.Create(ctx, w.sent, hub, from); err != nil {
		return nil, err
	}
	e.warnNew(ctx, w, hub)

	// Canonicalize.
	if strategy.Canonicalize != nil {
		strategy.Canonicalize(hub)
	}
	e.noteHub(w.Steps, rest.StepCanonicalized, hub)

	// Validating admission.
	if err := e.admit(ctx, w.judged, hub, nil); err != nil {
		return nil, err
	}

	// A new object has no resourceVersion. As in Kubernetes, this is checked last, and a dry run
	// answers with the one that was sent.
	sent, _ := storage.ParseRevision(meta.ResourceVersion)
	if sent != 0 && !isDryRun(opts.DryRun) {
		return nil, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created: remove metadata.resourceVersion")
	}

	// What admission writes with the object; default in the storage version once more, encode, put.
	key, err := e.Key(rest.Name{Namespace: meta.Namespace, Name: meta.Name})
	if err != nil {
		return nil, err
	}
	entry, err := e.putInTransaction(ctx, w.attempted, key, hub, from, opts)
	if err != nil {
		return nil, e.createError(ctx, key, meta.Name, err)
	}
	e.noteStored(w.Steps, key, entry.Value)
	if isDryRun(opts.DryRun) {
		entry.Revision = sent
	} else {
		e.afterCreate(ctx, entry)
	}
	return e.View(entry), nil
}

// createError says in particular when the name is taken by an object that is on its way out.
func (e *endpoint) createError(ctx context.Context, key, name string, err error) error {
	status := apistatus.Of(err, "create", e.resource, name)
	var exists *apierrors.StatusError
	if !apierrors.IsAlreadyExists(status) || !errors.As(status, &exists) {
		return status
	}
	current, err := e.backend.Get(ctx, key, storage.GetOptions{})
	if err != nil {
		return status
	}
	if meta, err := wire.ReadMeta(current.Value); err == nil && meta.Deleting {
		exists.ErrStatus.Message = "object is being deleted: " + exists.ErrStatus.Message
	}
	return exists
}
