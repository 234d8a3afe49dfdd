package registry

import (
	"bytes"
	"io"
	"slices"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage"
)

// jsonForm is how objects of a version begin in JSON: what an object that says its kind has before
// what it has in a list.
type jsonForm struct {
	// head is `{"kind":…,"apiVersion":…`; "" if the kind is not what an object of the version
	// begins with.
	head string
}

func newJSONForm(kind *runtime.Kind) jsonForm {
	head := headOf(kind)
	obj := kind.New()
	obj.GetObjectKind().SetGroupVersionKind(kind.GroupVersionKind())
	data, err := kind.AppendJSON(nil, obj)
	if err != nil || !bytes.HasPrefix(data, []byte(head)) {
		return jsonForm{}
	}
	return jsonForm{head: head}
}

// headOf is how an object of a kind begins that says what it is.
func headOf(kind *runtime.Kind) string {
	return `{"kind":` + quote(kind.GroupVersionKind().Kind) + `,"apiVersion":` + quote(kind.GroupVersionKind().GroupVersion().String())
}

// jsonItem appends the JSON of an entry as it is in a list: without its kind.
func (v version) jsonItem(dst []byte, e storage.Entry) ([]byte, error) {
	if v.showsDocuments() {
		return v.appendShown(dst, "{", e)
	}
	obj, err := v.visible(e)
	if err != nil {
		return nil, err
	}
	// JSON is about half as long again as protobuf.
	return v.kind.AppendJSON(slices.Grow(dst, len(e.Value)*3/2), obj)
}

// keptItem is jsonItem out of the cache encoded, where it is left for whoever comes next. Nobody
// may modify it.
func (v version) keptItem(encoded *EncodeCache, e storage.Entry) ([]byte, error) {
	if v.showsDocuments() && v.stored() {
		encoded = nil // most of it is in the entry
	}
	k := memoKey{kind: v.kind, key: e.Key, revision: e.Revision}
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
func (o *objectView) writeJSON(w io.Writer) error {
	place := room(w)
	item, err := o.keptItem(o.encoded, o.entry)
	if err != nil {
		return encodingError(err)
	}
	place = append(place, o.json.head...)
	if item[1] != '}' {
		place = append(place, ',')
	}
	place = append(append(place, item[1:]...), '\n')
	_, err = w.Write(place)
	return err
}
