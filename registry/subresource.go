package registry

import (
	"context"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/apistatus"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/metadata"
	"github.com/typeplane/typeplane/registry/internal/owners"
	"github.com/typeplane/typeplane/registry/internal/subresource"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// subresources returns those that the kind has in this version. main is the resource that they
// belong to.
func (e *endpoint) subresources(main rest.Resource) ([]rest.Resource, error) {
	part := func(name string) rest.Resource {
		return rest.Resource{
			GroupVersion: main.GroupVersion,
			Kind:         main.Kind,
			Name:         main.Name,
			Singular:     main.Singular,
			Namespaced:   main.Namespaced,
			Deprecated:   main.Deprecated,
			Subresource:  name,
		}
	}
	var parts []rest.Resource
	var err error
	if e.def.CopyStatus != nil {
		status := *e
		status.subresource = subresourceStatus
		r := part(subresourceStatus)
		r.Documents, r.Texts, r.Misread = main.Documents, main.Texts, main.Misread
		kept := append(e.resetFields(subresourceStatus), ownership.Path{"spec"})
		if !e.def.Strategy.StatusMetadata {
			kept = append(kept, ownership.Path{"metadata"})
		}
		if status.owners, err = e.ownersBy(subresourceStatus, kept...); err != nil {
			return nil, err
		}
		r.Get, r.Update, r.Patch, r.PatchTypes = &status, &status, &status, status.patchTypes()
		parts = append(parts, r)
	}
	if e.def.Strategy.Deletion.Finalize != nil {
		finalize := *e
		finalize.subresource, finalize.owners = subresourceFinalize, owners.Owners{}
		r := part(subresourceFinalize)
		r.Documents, r.Texts, r.Misread = main.Documents, main.Texts, main.Misread
		r.Update = &finalize
		parts = append(parts, r)
	}
	if e.Kind.Scalable() {
		// Replicas are those of the object: so is who owns them.
		of := *e
		if of.owners, err = e.ownersBy(subresourceScale, append(e.resetFields(subresourceScale), ownership.Path{subresourceStatus})...); err != nil {
			return nil, err
		}
		replicas, err := subresource.ReplicasOf(e.Kind)
		if err != nil {
			return nil, err
		}
		scale := &scaleEndpoint{&of, replicas}
		r := part(subresourceScale)
		r.BodyKind, r.NewBody = subresource.ScaleKind, subresource.NewScale
		r.Get, r.Update, r.Patch, r.PatchTypes = scale, scale, scale, of.patchTypes()
		parts = append(parts, r)
	}
	mine, err := e.authored(main, part)
	return append(parts, mine...), err
}

// counted makes the object to store of the object that a client sent. The part that the endpoint is
// about is taken from sent, everything else from old. In a write of the status that is the status
// alone, no metadata, if the strategy does not want it: labels and finalizers are changed where the
// object is. What the write depends on, uid and resourceVersion, stays as it was sent, and so do
// the managedFields. So whoever fills those in may ask before replace does; asking again changes
// nothing. sent belongs to it; old is not modified.
func (e *endpoint) counted(ctx context.Context, sent, old runtime.Object) (runtime.Object, error) {
	copyStatus, part := e.def.CopyStatus, e.part()
	switch {
	case part != nil:
		next := e.deepCopy(old)
		if err := part(ctx, next, sent); err != nil {
			return nil, apistatus.OfAuthor(err, e.Kind.GroupVersionKind().GroupKind(), runtime.Meta(old).Name)
		}
		from, to := runtime.Meta(sent), runtime.Meta(next)
		if e.subresource == subresourceStatus && e.def.Strategy.StatusMetadata {
			was := *to
			*to = *from
			metadata.Reset(to, &was, e.def.Strategy.ResetFields[subresourceStatus])
			return next, nil
		}
		to.UID, to.ResourceVersion, to.ManagedFields = from.UID, from.ResourceVersion, from.ManagedFields
		return next, nil
	case copyStatus == nil || e.wholly:
		return sent, nil
	}
	if e.def.Strategy.PrepareForUpdate != nil {
		old = e.deepCopy(old) // the strategy may change the status in place
	}
	copyStatus(old, sent)
	return sent, nil
}

// part makes of an object what it is with the part of the sent object that the endpoint writes. nil
// is all of it.
func (e *endpoint) part() func(ctx context.Context, next, sent runtime.Object) error {
	copied := func(part func(from, to runtime.Object)) func(context.Context, runtime.Object, runtime.Object) error {
		return func(_ context.Context, next, sent runtime.Object) error {
			part(sent, next)
			return nil
		}
	}
	switch e.subresource {
	case subresourceStatus:
		return copied(e.def.CopyStatus)
	case subresourceFinalize:
		return copied(e.def.Strategy.Deletion.Finalize)
	}
	return e.writes
}

// resetStatus takes the status out of a new object, and out of what it was made of, if it has to be
// written by itself.
func (e *endpoint) resetStatus(hub runtime.Object, from *canonical.Origin) (*canonical.Origin, error) {
	if e.def.CopyStatus == nil || e.def.Strategy.StatusOnCreate {
		return from, nil
	}
	empty := e.Kind.NewHub()
	e.def.CopyStatus(empty, hub)
	return e.codec.WithoutStatus(from, empty)
}

var _ rest.Body = runtime.Object(nil)
