package runtime

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
)

// Object is what the Go type of a kind must be, in every version and as a hub. It is a pointer to a
// struct that embeds metav1.TypeMeta and metav1.ObjectMeta and has a DeepCopyObject method.
type Object interface {
	apiruntime.Object
	metav1.Object
}

// Protobuf is what generated code adds to a version: Kubernetes protobuf without the envelope. A
// version that has it is stored as protobuf, and served as it, too. One that has it not is stored
// as the JSON documents that clients send.
type Protobuf interface {
	// Size is the length of the encoding.
	Size() int
	// MarshalToSizedBuffer writes the encoding to the end of data and returns how long it is.
	MarshalToSizedBuffer(data []byte) (int, error)
	// Unmarshal merges data into the object; Reset first. It keeps no reference to data.
	Unmarshal(data []byte) error
	Reset()
}

// Meta returns the metadata inside obj, to read and to modify. Build has made sure that an object
// of a Scheme has it; for any other object whose GetObjectMeta returns something else it panics.
func Meta(obj Object) *metav1.ObjectMeta {
	meta, ok := MetaOf(obj)
	if !ok {
		panic(fmt.Sprintf("a %T has no metav1.ObjectMeta", obj))
	}
	return meta
}

// MetaOf is Meta for an object that may have none: it asks the method of metav1.ObjectMeta, or one
// that the type has in its place.
func MetaOf(obj Object) (meta *metav1.ObjectMeta, ok bool) {
	switch obj := obj.(type) {
	case metav1.ObjectMetaAccessor:
		meta, ok = obj.GetObjectMeta().(*metav1.ObjectMeta)
	case interface{ GetObjectMeta() *metav1.ObjectMeta }:
		meta = obj.GetObjectMeta()
	}
	return meta, ok || meta != nil
}
