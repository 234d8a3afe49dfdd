package runtime

import (
	"encoding/json"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "sigs.k8s.io/json"

	"github.com/typeplane/typeplane/runtime/fieldset"
	runtimejson "github.com/typeplane/typeplane/runtime/json"
	"github.com/typeplane/typeplane/runtime/quantity"
	"github.com/typeplane/typeplane/runtime/transcode"
)

// functions are what gen prints for a version beside the methods of its Go type. What is nil is
// done by those methods, or by reflection, with the same result.
type functions struct {
	appendJSON      func(dst []byte, obj Object) ([]byte, error)
	readJSON        func(r *runtimejson.Reader, obj Object)
	appendProtobuf  func(dst []byte, obj Object) ([]byte, error)
	unmarshalShared func(message []byte, obj Object) error
	recycler        func() func(message []byte) (Object, error)
	jsonTable       *transcode.Message
	deepCopy        func(obj Object) Object
	compareFields   func(c *fieldset.Comparison, old, obj Object)
}

// functionsOf drops the types of a Version's functions.
func functionsOf[V, H Object](v Version[V, H]) (f functions) {
	if v.AppendJSON != nil {
		f.appendJSON = func(dst []byte, obj Object) ([]byte, error) { return v.AppendJSON(dst, obj.(V)) }
	}
	if v.ReadJSON != nil {
		f.readJSON = func(r *runtimejson.Reader, obj Object) { v.ReadJSON(r, obj.(V)) }
	}
	if v.AppendProtobuf != nil {
		f.appendProtobuf = func(dst []byte, obj Object) ([]byte, error) { return v.AppendProtobuf(dst, obj.(V)) }
	}
	if v.UnmarshalShared != nil {
		f.unmarshalShared = func(message []byte, obj Object) error { return v.UnmarshalShared(message, obj.(V)) }
	}
	if v.Recycler != nil {
		f.recycler = func() func(message []byte) (Object, error) {
			read := v.Recycler()
			return func(message []byte) (Object, error) { return read(message) }
		}
	}
	f.jsonTable = v.JSONTable
	if v.DeepCopy != nil {
		f.deepCopy = func(obj Object) Object { return v.DeepCopy(obj.(V)) }
	}
	if v.CompareFields != nil {
		f.compareFields = func(c *fieldset.Comparison, old, obj Object) { v.CompareFields(c, old.(V), obj.(V)) }
	}
	return f
}

// ComparesFields says whether CompareFields may be called.
func (k *Kind) ComparesFields() bool { return k.compareFields != nil }

// CompareFields tells c which fields two objects of this version differ in. It leaves out what
// nobody owns: what the objects are, what they are called, and what a server fills in. It modifies
// neither.
func (k *Kind) CompareFields(c *fieldset.Comparison, old, obj Object) { k.compareFields(c, old, obj) }

// AppendJSON appends obj as encoding/json writes it, without a newline. After an error what was
// appended is of no use. For a nil dst it makes a slice with room for what the last such object of
// the kind took, so that it seldom has to grow.
func (k *Kind) AppendJSON(dst []byte, obj Object) ([]byte, error) {
	if k.appendJSON == nil {
		data, err := json.Marshal(obj)
		return append(dst, data...), err
	}
	if dst != nil {
		return k.appendJSON(dst, obj)
	}
	data, err := k.appendJSON(make([]byte, 0, k.jsonSize.Load()), obj)
	if err != nil {
		return nil, err
	}
	k.jsonSize.Store(int64(min(len(data)+len(data)/8, maxJSONSize)))
	if cap(data) > 2*len(data) {
		data = slices.Clone(data) // what is kept of a small object is not the room of a large one
	}
	return data, nil
}

// maxJSONSize is the largest room that one object leaves to the next one.
const maxJSONSize = 1 << 16

// ReadJSON reads obj, which is empty, of data. Names are case-sensitive and integers stay integers;
// strict are the fields that are unknown or there twice. The object keeps no part of data.
func (k *Kind) ReadJSON(data []byte, obj Object) (strict []error, err error) {
	if k.readJSON == nil {
		return kjson.UnmarshalStrict(data, obj)
	}
	return k.read(runtimejson.NewReader(data), obj)
}

// ReadJSONWithin is ReadJSON for data of a stranger: an object that takes more than so many bytes
// of memory, beside its strings, is not read; the error is runtime/json's ErrTooLarge. Nor is one
// with a quantity that takes too long to be read: runtime/quantity's ErrTooLarge.
func (k *Kind) ReadJSONWithin(data []byte, obj Object, bytes int) (strict []error, err error) {
	if k.readJSON == nil {
		if err := runtimejson.Fits(data, reflect.TypeOf(obj).Elem(), bytes, quantity.Guard); err != nil {
			return nil, err
		}
		return kjson.UnmarshalStrict(data, obj)
	}
	return k.read(runtimejson.NewReader(data).Limit(bytes).Guard(quantity.Guard), obj)
}

func (k *Kind) read(r *runtimejson.Reader, obj Object) (strict []error, err error) {
	k.readJSON(r, obj)
	if err := r.Err(); err != nil {
		return nil, err
	}
	return r.Strict(), nil
}

// AppendMessage appends obj as protobuf without an envelope. The kind must be Protobuf.
func (k *Kind) AppendMessage(dst []byte, obj Object) ([]byte, error) {
	if k.appendProtobuf != nil {
		return k.appendProtobuf(dst, obj)
	}
	return appendMessage(dst, obj.(Protobuf))
}

// AppendsMessages says whether AppendMessage has a function of its own, which does not know the
// length of a message before it is written.
func (k *Kind) AppendsMessages() bool { return k.appendProtobuf != nil }

// Unmarshal reads obj, which is empty, of a message. The kind must be Protobuf. The object keeps no
// part of message.
func (k *Kind) Unmarshal(message []byte, obj Object) error {
	return obj.(Protobuf).Unmarshal(message)
}

// UnmarshalShared is Unmarshal for a message that never changes. Strings and sets of fields of the
// object may be parts of the message, and each keeps all of it in memory. Other slices of bytes are
// copied.
func (k *Kind) UnmarshalShared(message []byte, obj Object) error {
	if k.unmarshalShared != nil {
		return k.unmarshalShared(message, obj)
	}
	return k.Unmarshal(message, obj)
}

// Recycler returns a function that reads one message after the other as UnmarshalShared does. It
// uses the memory of the last object for the next one, so each is good until the function is called
// again. Only one goroutine at a time may call it.
func (k *Kind) Recycler() func(message []byte) (Object, error) {
	if k.recycler != nil {
		return k.recycler()
	}
	return func(message []byte) (Object, error) {
		obj := k.New()
		return obj, k.UnmarshalShared(message, obj)
	}
}

// Transcodes says whether Transcode may be called.
func (k *Kind) Transcodes() bool { return k.jsonTable != nil }

// Transcode appends the JSON of the object in a message, as AppendJSON writes it. This revision is
// its resourceVersion. It makes no Go value and allocates nothing but room. The message is what
// AppendMessage writes; for others it may be an error, after which the message is to be decoded.
// The FieldsV1 in its managedFields are copied: they must be as AppendJSON writes them.
func (k *Kind) Transcode(dst, message []byte, revision int64) ([]byte, error) {
	return k.jsonTable.Append(dst, message, revision)
}

// Parts names the fields in a message of the kind, as transcode.Message.Parts does. It is nil for a
// kind that has no table.
func (k *Kind) Parts(message []byte) ([]transcode.Part, error) {
	if k.jsonTable == nil {
		return nil, nil
	}
	return k.jsonTable.Parts(message)
}

// transcodes checks a table, as far as an empty object shows it.
func (c *checker) transcodes(k *Kind, bad func(string, ...any)) {
	switch {
	case k.jsonTable == nil || k.new == nil:
		return
	case !k.protobuf:
		bad("it has a JSONTable and no protobuf methods: put +k8s:protobuf-gen=package into its doc.go and run gen")
		return
	case k.jsonTable.Decode != nil:
		k.jsonTable = nil
		return
	}
	empty := k.new()
	message, err := marshal(empty.(Protobuf))
	if err != nil {
		return // reported with the protobuf methods
	}
	Meta(empty).ResourceVersion = "1"
	want, err := k.AppendJSON(nil, empty)
	if err != nil {
		return // a type whose zero value has no JSON
	}
	if got, err := k.Transcode(nil, message, 1); err != nil || string(got) != string(want) {
		bad("its JSONTable writes %s of an empty object (%v), and AppendJSON %s: run gen", got, err, want)
	}
}

// DeepCopy copies an object of this version.
func (k *Kind) DeepCopy(obj Object) Object {
	if k.deepCopy != nil {
		return k.deepCopy(obj)
	}
	return obj.DeepCopyObject().(Object)
}

// CopyHub copies an object of the hub type.
func (k *Kind) CopyHub(obj Object) Object {
	if v := k.hub.version(); v != nil {
		return v.DeepCopy(obj)
	}
	return obj.DeepCopyObject().(Object)
}

// byJSON converts an object of one version to one of another, which is empty, by the JSON that both
// have.
func byJSON(from, to *Kind) func(in, out Object) error {
	return func(in, out Object) error {
		data, err := from.AppendJSON(nil, in)
		if err != nil {
			return err
		}
		if _, err := to.ReadJSON(data, out); err != nil { // strictness is for clients
			return err
		}
		out.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		return nil
	}
}
