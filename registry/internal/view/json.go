package view

import (
	"bytes"
	"io"
	"slices"

	"github.com/typeplane/typeplane/registry/internal/canonical"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage"
)

// headIn is how JSON of an object begins that says its kind; "" if objects of the kind begin in
// another way.
func headIn(v canonical.Version) string {
	head := canonical.HeadOf(v.Kind)
	if v.ShowsDocuments() {
		return head
	}
	obj := v.Kind.New()
	obj.GetObjectKind().SetGroupVersionKind(v.Kind.GroupVersionKind())
	data, err := v.Kind.AppendJSON(nil, obj)
	if err != nil || !bytes.HasPrefix(data, []byte(head)) {
		return ""
	}
	return head
}

// jsonItem appends the JSON of an entry as it is in a list: without its kind. In the stored version
// it is made of the entry's bytes.
func (v Factory) jsonItem(dst []byte, e storage.Entry) ([]byte, error) {
	if v.ShowsDocuments() {
		return v.AppendShown(dst, "{", e)
	}
	dst = slices.Grow(dst, len(e.Value)*3/2) // JSON is about half as long again as protobuf
	if v.AsStored() && v.Kind.Transcodes() {
		message, err := wire.Message(e.Value)
		if err != nil {
			return nil, err
		}
		if data, err := v.Kind.Transcode(dst, message, e.Revision); err == nil {
			return data, nil
		}
	}
	err := v.Look(e, func(obj runtime.Object) (err error) {
		dst, err = v.Kind.AppendJSON(dst, obj)
		return err
	})
	return dst, err
}

// writeJSON writes the object with its kind, in one piece.
func (o *Object) writeJSON(w io.Writer) error {
	text, err := o.appendJSON(room(w), o.Entry)
	if err != nil {
		return encodingError(err)
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// AppendStored appends the JSON of an entry with its kind, as clients of the stored version see it.
// ok is false where that is not made of the entry's bytes.
func (v Factory) AppendStored(dst []byte, e storage.Entry) (_ []byte, ok bool, err error) {
	if v.head == "" || !v.AsStored() || v.ShowsDocuments() || !v.Kind.Transcodes() {
		return dst, false, nil
	}
	dst, err = v.appendJSON(dst, e)
	return dst, true, err
}

// appendJSON appends the JSON of an entry with its kind. The factory must have a head.
func (v Factory) appendJSON(dst []byte, e storage.Entry) ([]byte, error) {
	if v.ShowsDocuments() {
		return v.AppendShown(dst, v.head, e)
	}
	// The item begins with a brace, which becomes the comma behind the head.
	dst = append(dst, v.head...)
	brace := len(dst)
	dst, err := v.jsonItem(dst, e)
	if err != nil {
		return nil, err
	}
	if dst[brace] = ','; dst[brace+1] == '}' {
		dst = append(dst[:brace], '}')
	}
	return dst, nil
}
