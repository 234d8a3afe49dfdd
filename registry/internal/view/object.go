package view

import (
	"errors"
	"fmt"
	"io"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// Object is an entry in one version.
type Object struct {
	Factory
	Entry storage.Entry
}

// View shows an entry. After a dry run it need not be what is stored, and its revision is somebody
// else's.
func (v Factory) View(e storage.Entry) rest.View { return &Object{v, e} }

// WriteTo writes the object at once, so nothing is written when it fails.
func (o *Object) WriteTo(w io.Writer, rep rest.Representation) error {
	switch rep.As {
	case rest.AsTable:
		return o.writeTable(w, rep)
	case rest.AsPartialObjectMetadata:
		return o.writePartial(w, rep)
	}
	switch {
	case o.ShowsDocuments():
		return o.writeDocument(w, rep)
	case rep.MediaType == rest.Protobuf && o.AsStored():
		return o.writeStored(w)
	case rep.MediaType == rest.JSON && !rep.Pretty && o.head != "":
		return o.writeJSON(w)
	}
	obj, err := o.Visible(o.Entry)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(o.Kind.GroupVersionKind())
	return kindView{obj, o.Kind}.WriteTo(w, rep)
}

// writeStored writes what is stored, with its revision.
func (o *Object) writeStored(w io.Writer) error {
	data, err := wire.AppendWithRevision(room(w), o.Entry.Value, o.Entry.Revision)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	_, err = w.Write(data)
	return err
}

// room is where bytes for w can be put together without a copy, if w has such a place, as a
// bytes.Buffer does.
func room(w io.Writer) []byte {
	if b, ok := w.(interface{ AvailableBuffer() []byte }); ok {
		return b.AvailableBuffer()
	}
	return nil
}

// Struct is an object that no entry holds. What has no ObjectMeta, like a Status, is never turned
// into something else. The kind is filled in for types that every server answers with; an object of
// another type has to name its kind.
type Struct struct {
	Obj apiruntime.Object
}

func (s Struct) WriteTo(w io.Writer, rep rest.Representation) error {
	kind := s.Obj.GetObjectKind()
	if kind.GroupVersionKind().Empty() {
		kind.SetGroupVersionKind(KindOf(s.Obj))
	}
	if gvk := kind.GroupVersionKind(); gvk.Kind == "" || gvk.Version == "" {
		return apierrors.NewInternalError(fmt.Errorf("the answer is a %T without kind and apiVersion", s.Obj))
	}
	if obj, ok := s.Obj.(runtime.Object); ok && rep.As != rest.AsObject {
		return writeStructAs(w, obj, NameAndAge, rep)
	}
	data, err := serializer.Append(nil, s.Obj, serializer.MediaType(rep.MediaType), rep.Pretty)
	if err != nil {
		return encodingError(err)
	}
	_, err = w.Write(data)
	return err
}

// KindOf returns the kind of the types that every server answers with, empty for others.
func KindOf(obj apiruntime.Object) schema.GroupVersionKind {
	switch obj.(type) {
	case *metav1.Status:
		return schema.GroupVersionKind{Version: "v1", Kind: "Status"}
	case *metav1.Table:
		return metav1.SchemeGroupVersion.WithKind("Table")
	case *metav1.PartialObjectMetadata:
		return metav1.SchemeGroupVersion.WithKind(partialKind)
	case *metav1.PartialObjectMetadataList:
		return metav1.SchemeGroupVersion.WithKind(partialListKind)
	case *autoscalingv1.Scale:
		return autoscalingv1.SchemeGroupVersion.WithKind("Scale")
	}
	return schema.GroupVersionKind{}
}

// kindView is an object of a kind, which says itself what it is.
type kindView struct {
	obj  runtime.Object
	kind *runtime.Kind
}

func (k kindView) WriteTo(w io.Writer, rep rest.Representation) error {
	data, err := serializer.AppendKind(room(w), k.kind, k.obj, serializer.MediaType(rep.MediaType), rep.Pretty)
	if err != nil {
		return encodingError(err)
	}
	_, err = w.Write(data)
	return err
}

// Bookmark is an object of the kind that is empty except for the revision. end marks the one after
// the initial events.
func (v Factory) Bookmark(revision int64, end bool) rest.View {
	obj := v.Kind.New()
	obj.GetObjectKind().SetGroupVersionKind(v.Kind.GroupVersionKind())
	meta := runtime.Meta(obj)
	meta.ResourceVersion = storage.FormatRevision(revision)
	if end {
		meta.Annotations = map[string]string{metav1.InitialEventsAnnotationKey: "true"}
	}
	return objectOf{kindView{obj, v.Kind}, v.table}
}

// objectOf is a kindView with the columns of its kind, for what is no entry: a bookmark may be the
// first event of a stream of Tables.
type objectOf struct {
	kindView
	table *Columns
}

func (o objectOf) WriteTo(w io.Writer, rep rest.Representation) error {
	if rep.As != rest.AsObject {
		return writeStructAs(w, o.obj, o.table, rep)
	}
	return o.kindView.WriteTo(w, rep)
}

// encodingError is an error of the serializer as an API status.
func encodingError(err error) error {
	var noProtobuf *serializer.NoProtobufError
	if errors.As(err, &noProtobuf) {
		return notAcceptable(fmt.Sprintf("%T has no protobuf form: ask for %s or %s", noProtobuf.Object, rest.JSON, rest.YAML))
	}
	return apierrors.NewInternalError(err)
}

func notAcceptable(message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    406,
		Reason:  metav1.StatusReasonNotAcceptable,
		Message: message,
	}}
}
