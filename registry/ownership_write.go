package registry

import (
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
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

// own puts into hub, which was made of from, who owns its fields, now that the author wants it to
// follow old, which current holds. Where nobody keeps track, and when that fails, the owners are
// those that old had: a write never fails because of them.
func (e *endpoint) own(w *write, hub runtime.Object, from *canonical.Origin, old runtime.Object, current storage.Entry, by author) {
	was := runtime.Meta(old).ManagedFields
	if by.unnamed {
		runtime.Meta(hub).ManagedFields = nil
		return
	}
	if e.owners == nil {
		runtime.Meta(hub).ManagedFields = was
		return
	}
	live, err := e.live(old, current)
	if err == nil && from == nil {
		from, err = e.codec.OriginOf(current.Value)
	}
	if err == nil {
		err = e.track(hub, from, live, by.manager)
	}
	if err != nil {
		w.Warn(fmt.Sprintf("metadata.managedFields was left as it was: %v", err))
		runtime.Meta(hub).ManagedFields = was
	}
}

// ownNew is own for an object that did not exist before.
func (e *endpoint) ownNew(w *write, hub runtime.Object, from *canonical.Origin, manager string) {
	var err error
	if e.owners != nil {
		err = e.track(hub, from, e.nothing(), manager)
	}
	if err != nil {
		w.Warn(fmt.Sprintf("nobody is in metadata.managedFields: %v", err))
	}
	if err != nil || e.owners == nil {
		runtime.Meta(hub).ManagedFields = nil
	}
}

// keepOwners puts the owners back that an object had before admission made what it is now of it, if
// what that says of them can't be understood. The words are those of Kubernetes.
func (e *endpoint) keepOwners(notes *rest.Notes, meta *metav1.ObjectMeta, was []metav1.ManagedFieldsEntry) {
	if err := ownership.Check(meta.ManagedFields, was); err != nil {
		notes.Warn(fmt.Sprintf(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: %v", err))
		meta.ManagedFields = was
	}
}

// track asks the tracker, which knows objects as clients see them.
func (e *endpoint) track(hub runtime.Object, from *canonical.Origin, live runtime.Object, manager string) error {
	obj, err := e.fromHub(hub)
	if err == nil && e.ShowsDocuments() {
		obj, err = e.asDocument(obj, hub, from)
	}
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
func (e *endpoint) nothing() runtime.Object {
	obj := e.Kind.New()
	obj.GetObjectKind().SetGroupVersionKind(e.Kind.GroupVersionKind())
	if e.ShowsDocuments() {
		return ownership.Document{Object: obj, Content: map[string]any{}}
	}
	return obj
}

// live is the object of an entry, which is old in the hub, as a tracker wants it.
func (e *endpoint) live(old runtime.Object, current storage.Entry) (runtime.Object, error) {
	obj, err := e.fromHub(old)
	if err != nil || !e.ShowsDocuments() {
		return obj, err
	}
	_, doc, err := e.Parts(current.Value)
	if err != nil {
		return nil, err
	}
	content, err := doc.Tree()
	return ownership.Document{Object: obj, Content: content}, err
}

// asDocument is obj as a tracker wants it, which is hub, made of from, in the version.
func (e *endpoint) asDocument(obj runtime.Object, hub runtime.Object, from *canonical.Origin) (runtime.Object, error) {
	stored, err := e.codec.Storage.FromHub(hub)
	if err != nil {
		return nil, err
	}
	doc, err := e.Document(stored, from)
	if err != nil {
		return nil, err
	}
	content, err := doc.Tree()
	return ownership.Document{Object: obj, Content: content}, err
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

// appliedDocument is the object that an apply patch has made of live, and its JSON: live's, changed
// where the patch has changed it.
func (e *endpoint) appliedDocument(live, next ownership.Document) (runtime.Object, []byte, error) {
	doc, err := document.Of(live.Content).Change(document.Of(live.Unstructured()), document.Of(next.Content), e.Documents.Shape)
	if err != nil {
		return nil, nil, err
	}
	obj, err := e.Documents.Read(doc, runtime.Meta(next))
	if err != nil {
		return nil, nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(e.Kind.GroupVersionKind())
	return obj, doc.AppendObject(nil), nil
}
