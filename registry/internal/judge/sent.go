package judge

import (
	"reflect"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/registry/internal/document"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/semantic"
)

// Sent is the object in a request. The zero Sent is for writes without one, such as those of a
// Change.
type Sent struct {
	// Text is the JSON that the object was read from; nil: none, as for protobuf.
	Text []byte
	// Object is the object with the defaults of the request's version. It may share memory with the
	// hub that it was converted to. nil: no function converts the version, or it has no rules.
	Object runtime.Object
}

// asSent returns the object that the rules of the request's version validate: sent, with the
// changes that admission and the strategy made to the hub. Validating now, which the hub converts
// to, is not enough. A conversion may make a valid value of a wrong one.
func (j *Judge) asSent(sent, now runtime.Object) (runtime.Object, error) {
	wish := j.like(sent, now)
	if semantic.Equal(wish, now) {
		return now, nil
	}
	hub, err := j.Default(j.Kind, j.Kind.DeepCopy(sent))
	if err != nil {
		return nil, err
	}
	back, err := j.Kind.FromHub(hub)
	if err != nil {
		return nil, err
	}
	if back = j.like(back, now); semantic.Equal(wish, back) {
		return now, nil // the conversion loses nothing
	}
	if j.Subresource == "" && semantic.Equal(back, now) {
		return wish, nil // nothing has changed since
	}
	documents := canonical.DocumentsOf(j.Kind)
	merged, is, err := documents.MergeDocuments(wish, back, now)
	if err != nil {
		return nil, err
	}
	return documents.Read(j.written(merged, is), runtime.Meta(now))
}

// like returns a copy of obj with the TypeMeta and the metadata of other. Both are objects of the
// request's version. The copy shares memory with them.
func (j *Judge) like(obj, other runtime.Object) runtime.Object {
	out := j.Kind.New()
	reflect.ValueOf(out).Elem().Set(reflect.ValueOf(obj).Elem())
	out.GetObjectKind().SetGroupVersionKind(other.GetObjectKind().GroupVersionKind())
	*runtime.Meta(out) = *runtime.Meta(other)
	return out
}

// written returns the document that the endpoint writes. The status endpoint writes now with the
// status of sent. An endpoint that leaves the status alone writes sent with the status of now.
func (j *Judge) written(sent, now document.Document) document.Document {
	switch {
	case j.Subresource == statusField:
		return now.WithStatus(sent)
	case j.resetsStatus():
		return sent.WithStatus(now)
	}
	return sent
}

// resetsStatus reports whether the endpoint leaves the status as it is stored.
func (j *Judge) resetsStatus() bool { return j.KeepsStatus && j.Subresource == "" && !j.Wholly }
