package canonical

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
)

// Documents makes documents of the objects of a version, and objects of documents. It is immutable.
type Documents struct {
	kind  *runtime.Kind
	Shape *document.Shape
}

func DocumentsOf(kind *runtime.Kind) *Documents {
	return &Documents{kind, document.ShapeOf(reflect.TypeOf(kind.New()), document.Said{Defaults: kind.DocumentDefaults(), Nullable: kind.NullableMembers(), Open: kind.OpenMembers()})}
}

// Received makes an object that was read of text into what is to be written: it is defaulted, and
// has nothing that its type does not know. obj belongs to it.
func (d *Documents) Received(obj runtime.Object, text []byte) (runtime.Object, *Origin, error) {
	doc, whole, err := document.Read(text, d.Shape)
	if err != nil {
		return nil, nil, err
	}
	if !whole { // a member that is null is one in a Go map
		sent := obj
		if obj, err = d.Read(doc, runtime.Meta(sent)); err != nil {
			return nil, nil, err
		}
		obj.GetObjectKind().SetGroupVersionKind(sent.GetObjectKind().GroupVersionKind())
	}
	return d.defaulted(obj, doc)
}

// defaulted fills in the defaults of an object and of the document that it was read from. obj
// belongs to it.
func (d *Documents) defaulted(obj runtime.Object, doc document.Document) (_ runtime.Object, from *Origin, err error) {
	from = &Origin{Document: doc}
	if from.Printed, err = d.Print(obj); err != nil || !d.kind.Defaults() {
		return obj, from, err
	}
	before := from.Printed
	d.kind.Default(obj)
	if from.Printed, err = d.Print(obj); err != nil {
		return nil, nil, err
	}
	from.Document, err = doc.Default(before, from.Printed, d.Shape)
	return obj, from, err
}

// Print is the document that a Go value writes. obj is as it was.
func (d *Documents) Print(obj runtime.Object) (document.Document, error) {
	meta := runtime.Meta(obj)
	was := *meta
	*meta = metav1.ObjectMeta{}
	text, err := d.kind.AppendJSON(nil, obj)
	*meta = was
	if err != nil {
		return document.Document{}, err
	}
	return document.Split(text)
}

// Read makes an object of its parts. It is not defaulted, says not what it is, and shares memory
// with meta.
func (d *Documents) Read(doc document.Document, meta *metav1.ObjectMeta) (runtime.Object, error) {
	obj := d.kind.New()
	if _, err := d.kind.ReadJSON(doc.AppendObject(nil), obj); err != nil {
		return nil, err
	}
	*runtime.Meta(obj) = *meta
	return obj, nil
}

// Merge returns obj with the changes that lead from before to after, and the metadata of after. All
// of them are objects of the version.
func (d *Documents) Merge(obj, before, after runtime.Object) (runtime.Object, error) {
	merged, _, err := d.MergeDocuments(obj, before, after)
	if err != nil {
		return nil, err
	}
	return d.Read(merged, runtime.Meta(after))
}

// MergeDocuments is Merge for documents. It also returns the one of after.
func (d *Documents) MergeDocuments(obj, before, after runtime.Object) (merged, is document.Document, err error) {
	doc, err := d.Print(obj)
	if err != nil {
		return merged, is, err
	}
	was, err := d.Print(before)
	if err != nil {
		return merged, is, err
	}
	if is, err = d.Print(after); err != nil {
		return merged, is, err
	}
	merged, err = doc.Change(was, is, d.Shape)
	return merged, is, err
}

// Origin is what a Go value was made of, and how that was printed then, in the storage version. It
// is not modified. nil: the object is of a kind with protobuf, or was made of nothing that is kept,
// like one of another version.
type Origin struct{ Document, Printed document.Document }
