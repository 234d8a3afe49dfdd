package apimachinery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/protobuf"
)

// The slabs that values of metadata come from. Generated code numbers its own from FirstSlab on.
const (
	fieldsV1Slab = protobuf.FirstSlab + iota
	managedFieldsEntrySlab
	ownerReferenceSlab
	timeSlab

	FirstSlab
)

// Start allocates at once what the metadata of most objects needs some of, unless the object, whose
// message data is, is too small to need more than one.
func Start(r *protobuf.Reader, data []byte) {
	if len(data) < 256 {
		return
	}
	first := new(struct {
		words   [4]uint64
		strings [2]string
		fields  [2]metav1.FieldsV1
		entries [1]metav1.ManagedFieldsEntry
		owners  [1]metav1.OwnerReference
		times   [2]metav1.Time
	})
	protobuf.Fill(r, protobuf.WordSlab, first.words[:])
	protobuf.Fill(r, protobuf.StringSlab, first.strings[:])
	protobuf.Fill(r, fieldsV1Slab, first.fields[:])
	protobuf.Fill(r, managedFieldsEntrySlab, first.entries[:])
	protobuf.Fill(r, ownerReferenceSlab, first.owners[:])
	protobuf.Fill(r, timeSlab, first.times[:])
}

var (
	typeFieldsV1 = protobuf.Type[metav1.FieldsV1]{Layout: protobuf.Layout{Slab: fieldsV1Slab}}
	typeTime     = protobuf.Type[metav1.Time]{Layout: protobuf.Layout{Slab: timeSlab}}
)

// FieldsV1 says how FieldsV1 is read: where strings are shared, its bytes are, too.
func FieldsV1() *protobuf.Type[metav1.FieldsV1] {
	return protobuf.With(&typeFieldsV1, protobuf.FieldSet)
}

// Time says how Time is read.
func Time() *protobuf.Type[metav1.Time] { return protobuf.Time(&typeTime) }
