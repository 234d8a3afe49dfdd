package registry

import (
	"context"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/ownership"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// author is whose fields a write makes those that it changes.
type author struct {
	manager string
	// unnamed is for an object that would be too large if it said who owns what: then nobody does.
	unnamed bool
}

// tooLarge says whether a write failed for the size of the object.
func tooLarge(err error) bool { return storage.CodeOf(err) == storage.CodeTooLarge }

// own puts into hub who owns its fields, now that the author wants it to follow old. Where nobody keeps track, and when
// that fails, the owners are those that old had: a write never fails because of them.
func (e *endpoint[T]) own(ctx context.Context, hub, old T, by author) {
	was := runtime.Meta(old).ManagedFields
	if by.unnamed {
		runtime.Meta(hub).ManagedFields = nil
		return
	}
	if e.owners == nil {
		runtime.Meta(hub).ManagedFields = was
		return
	}
	live, err := e.fromHub(old)
	if err == nil {
		err = e.track(hub, live, by.manager)
	}
	if err != nil {
		rest.AddWarning(ctx, fmt.Sprintf("metadata.managedFields was left as it was: %v", err))
		runtime.Meta(hub).ManagedFields = was
	}
}

// ownNew is own for an object that did not exist before.
func (e *endpoint[T]) ownNew(ctx context.Context, hub T, manager string) {
	var err error
	if e.owners != nil {
		err = e.track(hub, e.nothing(), manager)
	}
	if err != nil {
		rest.AddWarning(ctx, fmt.Sprintf("nobody is in metadata.managedFields: %v", err))
	}
	if err != nil || e.owners == nil {
		runtime.Meta(hub).ManagedFields = nil
	}
}

// keepOwners puts the owners back that an object had before admission made what it is now of it, if what that says of them
// can't be understood. The words are those of Kubernetes.
func (e *endpoint[T]) keepOwners(ctx context.Context, meta *metav1.ObjectMeta, was []metav1.ManagedFieldsEntry) {
	if err := ownership.Check(meta.ManagedFields, was); err != nil {
		rest.AddWarning(ctx, fmt.Sprintf(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: %v", err))
		meta.ManagedFields = was
	}
}

// track asks the tracker, which knows objects as clients see them.
func (e *endpoint[T]) track(hub T, live runtime.Object, manager string) error {
	obj, err := e.fromHub(hub)
	if err != nil {
		return err
	}
	owners, err := e.owners.Update(live, obj, manager)
	if err != nil {
		return err
	}
	runtime.Meta(hub).ManagedFields = owners
	return nil
}

// nothing is an object of the version that was never stored.
func (e *endpoint[T]) nothing() runtime.Object {
	obj := e.kind.New()
	obj.GetObjectKind().SetGroupVersionKind(e.kind.GroupVersionKind())
	return obj
}

// sameOwners says whether two lists differ in nothing but times, and do differ in those.
func sameOwners(a, b []metav1.ManagedFieldsEntry) bool {
	if len(a) != len(b) {
		return false
	}
	times := false
	for i := range a {
		x, y := a[i], b[i]
		times = times || !x.Time.Equal(y.Time)
		x.Time, y.Time = nil, nil
		if !reflect.DeepEqual(x, y) {
			return false
		}
	}
	return times
}
