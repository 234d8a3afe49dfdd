package serializer

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
)

// Decoded is what Decode made of some bytes.
type Decoded struct {
	Object runtime.Object
	// GroupVersionKind is what the data said it is, completed by the defaults. It is also in the
	// object.
	GroupVersionKind schema.GroupVersionKind
	// Strict are the fields that were unknown or there twice (the last one counts), each with its
	// path. Protobuf has none.
	Strict []error
	// JSON is what the object was read from, or could not be read from: the data, or what was made
	// of it where that is YAML; nil for protobuf.
	JSON []byte
}

// StrictError joins the strict errors into one, in the words of Kubernetes; nil if there is none.
func (d Decoded) StrictError() error { return strictError(d.Strict) }

func strictError(strict []error) error {
	if len(strict) == 0 {
		return nil
	}
	texts := make([]string, len(strict))
	for i, err := range strict {
		texts[i] = err.Error()
	}
	return errors.New("strict decoding error: " + strings.Join(texts, ", "))
}

// Decode reads one object of a kind of scheme. Data that does not say what it is, or only a part of
// it, is of kind defaults. The error is a *runtime.NotRegisteredError when the data says it is of a
// kind that scheme does not have; else it is for the client: the data can't be read. It is for the
// caller to compare what came with what was wanted.
//
// The object keeps no part of data: whoever keeps a string of it keeps nothing else.
func Decode(scheme *runtime.Scheme, data []byte, form MediaType, defaults schema.GroupVersionKind) (Decoded, error) {
	return decode(scheme, data, form, defaults, manner{})
}

// DecodeShared is Decode for data that never changes: strings of the object may be parts of it,
// each of which keeps all of it in memory. Slices of bytes are copied.
func DecodeShared(scheme *runtime.Scheme, data []byte, form MediaType, defaults schema.GroupVersionKind) (Decoded, error) {
	return decode(scheme, data, form, defaults, manner{shared: true})
}

// DecodeBody is DecodeShared for data of a stranger: what would take more than MaxMemory is not
// read, with a 413 as its error.
func DecodeBody(scheme *runtime.Scheme, data []byte, form MediaType, defaults schema.GroupVersionKind) (Decoded, error) {
	return decode(scheme, data, form, defaults, manner{shared: true, bounded: true})
}

// manner is how data is read.
type manner struct {
	shared  bool // strings of the object may be parts of the data
	bounded bool // to MaxMemory
}

func decode(scheme *runtime.Scheme, data []byte, form MediaType, defaults schema.GroupVersionKind, how manner) (Decoded, error) {
	src, err := read(data, form, how.bounded)
	if err != nil {
		return Decoded{}, err
	}
	// Most data says that it is of the expected kind. JSON is read only once then: what it says
	// comes with the object.
	if kind, err := scheme.Kind(defaults); err == nil && !src.cheap() {
		expected := kind.New()
		strict, err := src.decode(kind, expected, how)
		if err == nil && expected.GetObjectKind().GroupVersionKind() == defaults {
			return decoded(expected, defaults, strict, src), nil
		}
		if apierrors.IsRequestEntityTooLargeError(err) {
			return Decoded{}, err
		}
	}
	said, err := src.sniff()
	if err != nil {
		return Decoded{}, err
	}
	gvk := complete(said, defaults)
	if err := missing(gvk); err != nil {
		return Decoded{GroupVersionKind: gvk}, err
	}
	kind, err := scheme.Kind(gvk)
	if err != nil {
		return Decoded{GroupVersionKind: gvk}, err
	}
	obj := kind.New()
	strict, err := src.decode(kind, obj, how)
	if err != nil {
		return Decoded{GroupVersionKind: gvk, JSON: src.json()}, err
	}
	return decoded(obj, gvk, strict, src), nil
}

func decoded(obj runtime.Object, gvk schema.GroupVersionKind, strict []error, src source) Decoded {
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return Decoded{Object: obj, GroupVersionKind: gvk, Strict: strict, JSON: src.json()}
}

// DecodeInto reads one object into obj, whatever kind the data says it is; that is returned,
// completed by defaults. It is for data of a stranger, as DecodeBody is.
func DecodeInto(data []byte, form MediaType, defaults schema.GroupVersionKind, obj apiruntime.Object) (gvk schema.GroupVersionKind, strict []error, err error) {
	src, err := read(data, form, true)
	if err != nil {
		return gvk, nil, err
	}
	if strict, err = src.into(obj); err != nil {
		return gvk, nil, err
	}
	said := obj.GetObjectKind().GroupVersionKind()
	if said.Version == "" { // nothing was said, or nothing that is a version
		if said, err = src.sniff(); err != nil {
			return gvk, nil, err
		}
	}
	gvk = complete(said, defaults)
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	return gvk, strict, nil
}

// KindOf reads what kind the data says it is, and nothing else.
func KindOf(data []byte, form MediaType) (schema.GroupVersionKind, error) {
	src, err := read(data, form, true)
	if err != nil {
		return schema.GroupVersionKind{}, err
	}
	return src.sniff()
}

// source is data in one of the forms, ready to be put into an object.
type source interface {
	// sniff finds out what the data says it is; cheap says that this takes no reading of all of it.
	sniff() (schema.GroupVersionKind, error)
	cheap() bool
	// into fills an empty obj, including its TypeMeta if that is a part of the data itself, which
	// is when cheap is false.
	into(obj apiruntime.Object) (strict []error, err error)
	// decode is into for an object of a kind, by the kind's functions.
	decode(kind *runtime.Kind, obj runtime.Object, how manner) (strict []error, err error)
	// json is the data where that is JSON.
	json() []byte
}

// read recognises the form. YAML is made JSON of, which is bounded for strangers.
func read(data []byte, form MediaType, bounded bool) (source, error) {
	switch form {
	case JSON:
		return jsonSource{data: data}, nil
	case YAML:
		return readYAML(data, bounded)
	case Protobuf:
		return readProtobuf(data)
	}
	return nil, fmt.Errorf("can't read %q: want %s, %s or %s", form, JSON, YAML, Protobuf)
}

// complete fills in what gvk leaves open, by the rules of Kubernetes: a version without a group
// belongs to the core group, unless that is the group of the defaults.
func complete(gvk, defaults schema.GroupVersionKind) schema.GroupVersionKind {
	if gvk.Kind == "" {
		gvk.Kind = defaults.Kind
	}
	if gvk.Version == "" && (gvk.Group == "" || gvk.Group == defaults.Group) {
		gvk.Group, gvk.Version = defaults.Group, defaults.Version
	}
	return gvk
}

func missing(gvk schema.GroupVersionKind) error {
	if gvk.Kind == "" {
		return errors.New("the object has no kind: set kind and apiVersion")
	}
	if gvk.Version == "" {
		return errors.New("the object has no apiVersion: set it, like example.com/v1")
	}
	return nil
}
