package owners

import (
	"bytes"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/ownership"
	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// Author is whose fields a write makes those that it changes.
type Author struct {
	Manager string
	// Unnamed is for an object that would be too large if it said who owns what: then nobody does.
	Unnamed bool
}

// Owners keep track of who owns which field of the objects of a version, by the writes to a part of
// them. The zero Owners keep none.
type Owners struct {
	canonical.Version
	tracker *ownership.Tracker
}

// New are those by writes to the subresource, which leaves the fields in reset alone. Without the
// schema of the version nobody keeps track.
func New(schemas *ownership.Schemas, scheme *runtime.Scheme, v canonical.Version, subresource string, reset ...ownership.Path) (Owners, error) {
	t, err := ownership.NewTracker(schemas, scheme, v.Kind, subresource, reset...)
	if v.ShowsDocuments() {
		t = t.OfDocuments()
	}
	return Owners{v, t}, err
}

// Tracked says whether anybody keeps track.
func (o Owners) Tracked() bool { return o.tracker != nil }

// Check says what is wrong with the content of an apply patch.
func (o Owners) Check(content map[string]any) error { return o.tracker.Check(content) }

// Apply makes the object that follows live by an apply patch, and the JSON of what was sent of it.
// left are the fields without a manager.
func (o Owners) Apply(live runtime.Object, content map[string]any, manager string, force bool) (next runtime.Object, text []byte, left ownership.Left, err error) {
	return o.tracker.Apply(live, content, manager, force)
}

// Lost returns the fields of a hub that are in was, and neither in shown nor in is, by their paths
// in a version, and how many there are.
func (o Owners) Lost(in *runtime.Kind, was, shown, is runtime.Object) (paths []string, n int, err error) {
	return o.tracker.Lost(in, was, shown, is)
}

// Merge returns the JSON of an object of a version with what an apply configuration says, without
// an owner.
func (o Owners) Merge(gv schema.GroupVersion, object []byte, applied map[string]any) ([]byte, error) {
	return o.tracker.Merge(gv, object, applied)
}

// TooLarge says whether a write failed for the size of the object.
func TooLarge(err error) bool { return storage.CodeOf(err) == storage.CodeTooLarge }

// Keep puts into hub, which was made of from, who owns its fields, now that the author wants it to
// follow old, which current holds. Where nobody keeps track, and when that fails, the owners are
// those that old had: a write never fails because of them.
func (o Owners) Keep(w *rest.Request, hub runtime.Object, from *canonical.Origin, old runtime.Object, current storage.Entry, by Author) {
	was := runtime.Meta(old).ManagedFields
	if by.Unnamed {
		runtime.Meta(hub).ManagedFields = nil
		return
	}
	if o.tracker == nil {
		runtime.Meta(hub).ManagedFields = was
		return
	}
	live, err := o.Live(old, current)
	if err == nil && from == nil {
		from, err = o.OriginOf(current.Value)
	}
	if err == nil {
		err = o.track(hub, from, live, by.Manager)
	}
	if err != nil {
		w.Warn(fmt.Sprintf("metadata.managedFields was left as it was: %v", err))
		runtime.Meta(hub).ManagedFields = was
	}
}

// KeepNew is own for an object that did not exist before.
func (o Owners) KeepNew(w *rest.Request, hub runtime.Object, from *canonical.Origin, manager string) {
	var err error
	if o.tracker != nil {
		err = o.track(hub, from, o.Nothing(), manager)
	}
	if err != nil {
		w.Warn(fmt.Sprintf("nobody is in metadata.managedFields: %v", err))
	}
	if err != nil || o.tracker == nil {
		runtime.Meta(hub).ManagedFields = nil
	}
}

// KeepOwners puts the owners back that an object had before admission made what it is now of it, if
// what that says of them can't be understood. The words are those of Kubernetes.
func KeepOwners(notes *rest.Notes, meta *metav1.ObjectMeta, was []metav1.ManagedFieldsEntry) {
	if err := ownership.Check(meta.ManagedFields, was); err != nil {
		notes.Warn(fmt.Sprintf(".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: %v", err))
		meta.ManagedFields = was
	}
}

// track asks the tracker, which knows objects as clients see them.
func (o Owners) track(hub runtime.Object, from *canonical.Origin, live runtime.Object, manager string) error {
	obj, err := o.FromHub(hub)
	if err == nil && o.ShowsDocuments() {
		obj, err = o.asDocument(obj, hub, from)
	}
	if err != nil {
		return err
	}
	owners, err := o.tracker.Update(live, obj, manager)
	if err != nil {
		return err
	}
	runtime.Meta(hub).ManagedFields = owners
	return nil
}

// Nothing is an object of the version that was never stored.
func (o Owners) Nothing() runtime.Object {
	obj := o.Kind.New()
	obj.GetObjectKind().SetGroupVersionKind(o.Kind.GroupVersionKind())
	if o.ShowsDocuments() {
		return ownership.Document{Object: obj, Content: map[string]any{}}
	}
	return obj
}

// Live is the object of an entry, which is old in the hub, as a tracker wants it.
func (o Owners) Live(old runtime.Object, current storage.Entry) (runtime.Object, error) {
	obj, err := o.FromHub(old)
	if err != nil || !o.ShowsDocuments() {
		return obj, err
	}
	_, doc, err := o.Parts(current.Value)
	if err != nil {
		return nil, err
	}
	content, err := doc.Tree()
	return ownership.Document{Object: obj, Content: content}, err
}

// asDocument is obj as a tracker wants it, which is hub, made of from, in the version.
func (o Owners) asDocument(obj runtime.Object, hub runtime.Object, from *canonical.Origin) (runtime.Object, error) {
	stored, err := o.Storage().FromHub(hub)
	if err != nil {
		return nil, err
	}
	doc, err := o.Document(stored, from)
	if err != nil {
		return nil, err
	}
	content, err := doc.Tree()
	return ownership.Document{Object: obj, Content: content}, err
}

// SameOwners says whether two lists differ in nothing but times, and do differ in those.
func SameOwners(a, b []metav1.ManagedFieldsEntry) bool {
	if len(a) != len(b) {
		return false
	}
	times := false
	for i := range a {
		x, y := &a[i], &b[i]
		times = times || !x.Time.Equal(y.Time)
		if x.Manager != y.Manager || x.Operation != y.Operation || x.APIVersion != y.APIVersion || x.Subresource != y.Subresource ||
			x.FieldsType != y.FieldsType || !bytes.Equal(x.FieldsV1.GetRawBytes(), y.FieldsV1.GetRawBytes()) {
			return false
		}
	}
	return times
}

// AppliedDocument is the object that an apply patch has made of live, and its JSON: live's, changed
// where the patch has changed it.
func (o Owners) AppliedDocument(live, next ownership.Document) (runtime.Object, []byte, error) {
	was := document.Of(live.Content)
	doc, err := was.Change(was, document.Of(next.Content), o.Documents.Shape)
	if err != nil {
		return nil, nil, err
	}
	obj, err := o.Documents.Read(doc, runtime.Meta(next))
	if err != nil {
		return nil, nil, err
	}
	obj.GetObjectKind().SetGroupVersionKind(o.Kind.GroupVersionKind())
	return obj, doc.AppendObject(nil), nil
}
