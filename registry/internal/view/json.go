package view

import (
	"bytes"
	"io"
	"slices"

	"github.com/typeplane/typeplane/registry/internal/canonical"
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

// jsonItem appends the JSON of an entry as it is in a list: without its kind.
func (v Factory) jsonItem(dst []byte, e storage.Entry) ([]byte, error) {
	if v.ShowsDocuments() {
		return v.AppendShown(dst, "{", e)
	}
	obj, err := v.Visible(e)
	if err != nil {
		return nil, err
	}
	// JSON is about half as long again as protobuf.
	return v.Kind.AppendJSON(slices.Grow(dst, len(e.Value)*3/2), obj)
}

// keptItem is jsonItem out of the cache encoded, where it is left for whoever comes next. Nobody
// may modify it.
func (v Factory) keptItem(encoded *EncodeCache, e storage.Entry) ([]byte, error) {
	if v.ShowsDocuments() && v.Stored() {
		encoded = nil // most of it is in the entry
	}
	k := memoKey{kind: v.Kind, key: e.Key, revision: e.Revision}
	if data, ok := encoded.get(k); ok {
		return data, nil
	}
	data, err := v.jsonItem(nil, e)
	if err != nil {
		return nil, err
	}
	data = slices.Clone(data) // as long as it has to be
	encoded.put(k, data)
	return data, nil
}

// writeJSON writes the object with its kind, in one piece.
func (o *Object) writeJSON(w io.Writer) error {
	place := room(w)
	item, err := o.keptItem(o.encoded, o.Entry)
	if err != nil {
		return encodingError(err)
	}
	place = append(place, o.head...)
	if item[1] != '}' {
		place = append(place, ',')
	}
	place = append(append(place, item[1:]...), '\n')
	_, err = w.Write(place)
	return err
}
