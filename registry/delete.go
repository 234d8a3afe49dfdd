package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/view"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// errStays leaves a deletion of an object that can't be removed yet: it has finalizers, or a time
// of grace. errStaysNot leaves the marking of one that can be removed meanwhile.
var (
	errStays    = errors.New("the object stays for now")
	errStaysNot = errors.New("nothing keeps the object any more")
)

// Delete removes an object, or marks it as being deleted while it has finalizers or a time of
// grace. What it has to know it reads from the bytes, where no strategy has to be asked; else only
// marking decodes. What happens to dependents is in package metadata.
func (e *endpoint) Delete(ctx context.Context, req *rest.Request, name rest.Name, opts metav1.DeleteOptions) (rest.View, error) {
	key, err := e.Key(name)
	if err != nil {
		return nil, err
	}
	dryRun := isDryRun(opts.DryRun)
	w := &write{Request: req}
	request := e.request(w, admission.Delete, name, &opts, opts.DryRun)
	for {
		uid, err := e.remove(ctx, key, name.Name, request, opts, dryRun)
		if err == nil {
			return e.deleted(name.Name, uid), nil
		}
		if !errors.Is(err, errStays) {
			return nil, apistatus.Of(err, "delete", e.resource, name.Name)
		}
		var marking *admission.Request
		if e.def.Strategy.Deletion.PrepareForDelete != nil {
			marking = e.request(w, admission.Update, name, &metav1.UpdateOptions{DryRun: opts.DryRun}, opts.DryRun)
		}
		entry, err := e.mark(ctx, key, name.Name, marking, opts, dryRun)
		if err == nil {
			return e.View(entry), nil
		}
		if !errors.Is(err, errStaysNot) {
			return nil, apistatus.Of(err, "delete", e.resource, name.Name)
		}
	}
}

// remove deletes the entry at key if nothing speaks against it.
func (e *endpoint) remove(ctx context.Context, key, name string, request *admission.Request, opts metav1.DeleteOptions, dryRun bool) (uid types.UID, err error) {
	var gone storage.Entry
	check := func(current storage.Entry) ([]storage.Op, error) {
		meta, err := e.mayDelete(current, name, opts)
		if err != nil {
			return nil, err
		}
		old, err := e.admitDelete(ctx, request, current)
		if err != nil {
			return nil, err
		}
		// The strings of meta are as good as the entry; a copy is good for ever.
		uid = types.UID(strings.Clone(meta.UID))
		gone = current
		switch g, err := e.stays(ctx, current, meta, opts); {
		case err != nil:
			return nil, err
		case g.stays:
			return nil, errStays
		}
		return e.transact(ctx, request, nil, old)
	}
	defer func() { request.Over(err) }()
	if !dryRun {
		_, err = e.backend.Delete(ctx, key, check)
		request.Over(err)
		if err == nil {
			e.afterDelete(ctx, gone)
		}
		return uid, err
	}
	current, err := e.backend.Get(ctx, key, storage.GetOptions{})
	if storage.CodeOf(err) == storage.CodeCorrupt {
		current, err = storage.Entry{Key: key, Err: err}, nil
	}
	if err == nil {
		_, err = check(current)
	}
	return uid, err
}

// mayDelete checks the preconditions of a deletion. One that is there and empty is none that an
// object could meet: its client was to name what it has read, and has read nothing.
func (e *endpoint) mayDelete(current storage.Entry, name string, opts metav1.DeleteOptions) (wire.Meta, error) {
	unsafe := opts.IgnoreStoreReadErrorWithClusterBreakingPotential
	if unsafe != nil && *unsafe {
		// This is for what can't be read, and for nothing else.
		if current.Err == nil {
			return wire.Meta{}, apierrors.NewConflict(e.resource, name, errors.New("the object can be read: delete it without ignoreStoreReadErrorWithClusterBreakingPotential"))
		}
		return wire.Meta{}, nil
	}
	if current.Err != nil {
		return wire.Meta{}, current.Err
	}
	meta, err := wire.ReadMeta(current.Value)
	if err != nil {
		return wire.Meta{}, apierrors.NewInternalError(err)
	}
	p := opts.Preconditions
	if p == nil {
		return meta, nil
	}
	if p.UID != nil && string(*p.UID) != meta.UID {
		return wire.Meta{}, e.otherObject(*p.UID, meta.UID, name)
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != storage.FormatRevision(current.Revision) {
		//lint:ignore ST1005 the words of Kubernetes, which clients look for
		return wire.Meta{}, apierrors.NewConflict(e.resource, name, fmt.Errorf(
			"Precondition failed: ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", *p.ResourceVersion, current.Revision))
	}
	return meta, nil
}

// mark sets the deletionTimestamp of an object that stays. An object that has one is left
// unchanged, unless its grace period becomes shorter. Plug-ins get attempted, nil for none, to
// charge the changes of PrepareForDelete.
func (e *endpoint) mark(ctx context.Context, key, name string, attempted *admission.Request, opts metav1.DeleteOptions, dryRun bool) (storage.Entry, error) {
	return e.write(ctx, key, dryRun, attempted, func(current storage.Entry) ([]byte, []storage.Op, error) {
		meta, err := e.mayDelete(current, name, opts)
		if err != nil {
			return nil, nil, err
		}
		g, err := e.stays(ctx, current, meta, opts)
		switch {
		case err != nil:
			return nil, nil, err
		case !g.stays:
			return nil, nil, errStaysNot
		case g.waits && g.finalizers == nil:
			return current.Value, nil, nil
		}
		hub, err := e.codec.DecodeHub(current)
		if err != nil {
			return nil, nil, err
		}
		from, err := e.codec.OriginOf(current.Value)
		if err != nil {
			return nil, nil, apierrors.NewInternalError(err)
		}
		old, full := e.deepCopy(hub), runtime.Meta(hub)
		if !g.waits {
			full.DeletionTimestamp, full.DeletionGracePeriodSeconds = &g.until, &g.seconds
		}
		if g.finalizers != nil {
			full.Finalizers = *g.finalizers
		}
		if full.Generation > 0 && !meta.Deleting {
			full.Generation++
		}
		if prepare := e.def.Strategy.Deletion.PrepareForDelete; prepare != nil && !meta.Deleting {
			prepare(hub)
		}
		with, err := e.transact(ctx, attempted, hub, old)
		if err != nil {
			return nil, nil, err
		}
		value, err := e.encodeHub(hub, from)
		return value, with, err
	})
}

// stays says whether an entry has to stay for now, and until when.
func (e *endpoint) stays(ctx context.Context, current storage.Entry, meta wire.Meta, opts metav1.DeleteOptions) (g grace, err error) {
	finalizers := meta.HasFinalizers()
	var changed *[]string
	if e.collected && current.Err == nil {
		if after, differs := metadata.FinalizersAfter(meta, opts, e.def.Strategy.OrphansDependents); differs {
			finalizers, changed = len(after) > 0, &after
		}
	}
	if e.def.Strategy.Deletion.CheckGracefulDelete != nil && current.Err == nil {
		hub, err := e.codec.DecodeHub(current)
		if err != nil {
			return g, err
		}
		g, err = e.graceOf(ctx, hub, opts)
		g.finalizers = changed
		if err != nil || g.stays {
			return g, err
		}
		g.waits = meta.Deleting && !inGrace(runtime.Meta(hub))
	} else {
		g.waits, g.finalizers = meta.Deleting, changed
	}
	if g.until.IsZero() {
		g.until = e.metadata.Timestamp()
	}
	g.stays, err = e.kept(current, finalizers)
	return g, err
}

// kept says whether an entry has to stay for now: it has finalizers, or its kind says that
// something holds it.
func (e *endpoint) kept(current storage.Entry, finalizers bool) (bool, error) {
	if finalizers || e.def.Strategy.Deletion.Held == nil || current.Err != nil {
		return finalizers, nil
	}
	hub, err := e.codec.DecodeHub(current)
	return err == nil && e.held(hub), err
}

// deleted is the answer for an object that is gone. Clients wait for the object with this uid to
// disappear.
func (e *endpoint) deleted(name string, uid types.UID) rest.View {
	return view.Struct{Obj: &metav1.Status{
		Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name:  name,
			Group: e.resource.Group,
			Kind:  e.resource.Resource,
			UID:   uid,
		},
	}}
}
