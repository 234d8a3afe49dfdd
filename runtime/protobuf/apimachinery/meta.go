//lint:file-ignore SA1019 deprecated fields are read and written like others

package apimachinery

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/protobuf"
)

var typeObjectMeta protobuf.Type[metav1.ObjectMeta]

// ObjectMeta says how ObjectMeta is read.
func ObjectMeta() *protobuf.Type[metav1.ObjectMeta] {
	if m := protobuf.Begin(&typeObjectMeta); m != nil {
		t := &typeObjectMeta.Layout
		protobuf.Text(t, 1, &m.Name)
		protobuf.Text(t, 2, &m.GenerateName)
		protobuf.Text(t, 3, &m.Namespace)
		protobuf.Text(t, 4, &m.SelfLink)
		protobuf.Text(t, 5, &m.UID)
		protobuf.Text(t, 6, &m.ResourceVersion)
		protobuf.Number(t, 7, &m.Generation)
		protobuf.Message(t, 8, &m.CreationTimestamp, Time())
		protobuf.Pointer(t, 9, &m.DeletionTimestamp, Time())
		protobuf.NumberPointer(t, 10, &m.DeletionGracePeriodSeconds)
		protobuf.TextMap(t, 11, &m.Labels)
		protobuf.TextMap(t, 12, &m.Annotations)
		protobuf.Items(t, 13, &m.OwnerReferences, OwnerReference())
		protobuf.Texts(t, 14, &m.Finalizers)
		protobuf.Items(t, 17, &m.ManagedFields, ManagedFieldsEntry())
	}
	return &typeObjectMeta
}

// UnmarshalShared_ObjectMeta reads an ObjectMeta. Its strings share memory with data, which must
// not change any more.
func UnmarshalShared_ObjectMeta(data []byte, m *metav1.ObjectMeta) error {
	var err error
	var slabs [FirstSlab]protobuf.Slab
	r := protobuf.Reader{Shared: true, Err: &err, Slabs: slabs[:]}
	Start(&r, data)
	protobuf.Read(&r, &typeObjectMeta, func() { ObjectMeta() }, data, m)
	return err
}

// PutObjectMeta writes m.
func PutObjectMeta(w *protobuf.Writer, n int, m *metav1.ObjectMeta) int {
	if m == nil {
		return n
	}
	for k := len(m.ManagedFields) - 1; k >= 0; k-- {
		before := n
		n = PutManagedFieldsEntry(w, n, &m.ManagedFields[k])
		n = w.Close(n, 17<<3|2, before)
	}
	for k := len(m.Finalizers) - 1; k >= 0; k-- {
		n = w.PutString(n, 14<<3|2, m.Finalizers[k])
	}
	for k := len(m.OwnerReferences) - 1; k >= 0; k-- {
		before := n
		n = PutOwnerReference(w, n, &m.OwnerReferences[k])
		n = w.Close(n, 13<<3|2, before)
	}
	n = protobuf.PutTextMap(w, n, 12<<3|2, m.Annotations)
	n = protobuf.PutTextMap(w, n, 11<<3|2, m.Labels)
	if m.DeletionGracePeriodSeconds != nil {
		n = w.PutNumber(n, 10<<3, uint64(*m.DeletionGracePeriodSeconds))
	}
	if m.DeletionTimestamp != nil {
		n = w.PutTime(n, 9<<3|2, m.DeletionTimestamp)
	}
	n = w.PutTime(n, 8<<3|2, &m.CreationTimestamp)
	n = w.PutNumber(n, 7<<3, uint64(m.Generation))
	n = w.PutString(n, 6<<3|2, m.ResourceVersion)
	n = w.PutString(n, 5<<3|2, string(m.UID))
	n = w.PutString(n, 4<<3|2, m.SelfLink)
	n = w.PutString(n, 3<<3|2, m.Namespace)
	n = w.PutString(n, 2<<3|2, m.GenerateName)
	n = w.PutString(n, 1<<3|2, m.Name)
	return n
}

var typeListMeta protobuf.Type[metav1.ListMeta]

// ListMeta says how ListMeta is read.
func ListMeta() *protobuf.Type[metav1.ListMeta] {
	if m := protobuf.Begin(&typeListMeta); m != nil {
		t := &typeListMeta.Layout
		protobuf.Text(t, 1, &m.SelfLink)
		protobuf.Text(t, 2, &m.ResourceVersion)
		protobuf.Text(t, 3, &m.Continue)
		protobuf.NumberPointer(t, 4, &m.RemainingItemCount)
		protobuf.Pointer(t, 5, &m.ShardInfo, ShardInfo())
	}
	return &typeListMeta
}

// PutListMeta writes m.
func PutListMeta(w *protobuf.Writer, n int, m *metav1.ListMeta) int {
	if m == nil {
		return n
	}
	if m.ShardInfo != nil {
		before := n
		n = PutShardInfo(w, n, m.ShardInfo)
		n = w.Close(n, 5<<3|2, before)
	}
	if m.RemainingItemCount != nil {
		n = w.PutNumber(n, 4<<3, uint64(*m.RemainingItemCount))
	}
	n = w.PutString(n, 3<<3|2, m.Continue)
	n = w.PutString(n, 2<<3|2, m.ResourceVersion)
	n = w.PutString(n, 1<<3|2, m.SelfLink)
	return n
}

var typeCondition protobuf.Type[metav1.Condition]

// Condition says how Condition is read.
func Condition() *protobuf.Type[metav1.Condition] {
	if m := protobuf.Begin(&typeCondition); m != nil {
		t := &typeCondition.Layout
		protobuf.Text(t, 1, &m.Type)
		protobuf.Text(t, 2, &m.Status)
		protobuf.Number(t, 3, &m.ObservedGeneration)
		protobuf.Message(t, 4, &m.LastTransitionTime, Time())
		protobuf.Text(t, 5, &m.Reason)
		protobuf.Text(t, 6, &m.Message)
	}
	return &typeCondition
}

// PutCondition writes m.
func PutCondition(w *protobuf.Writer, n int, m *metav1.Condition) int {
	if m == nil {
		return n
	}
	n = w.PutString(n, 6<<3|2, m.Message)
	n = w.PutString(n, 5<<3|2, m.Reason)
	n = w.PutTime(n, 4<<3|2, &m.LastTransitionTime)
	n = w.PutNumber(n, 3<<3, uint64(m.ObservedGeneration))
	n = w.PutString(n, 2<<3|2, string(m.Status))
	n = w.PutString(n, 1<<3|2, m.Type)
	return n
}

var typeOwnerReference = protobuf.Type[metav1.OwnerReference]{Layout: protobuf.Layout{Slab: ownerReferenceSlab}}

// OwnerReference says how OwnerReference is read.
func OwnerReference() *protobuf.Type[metav1.OwnerReference] {
	if m := protobuf.Begin(&typeOwnerReference); m != nil {
		t := &typeOwnerReference.Layout
		protobuf.Text(t, 1, &m.Kind)
		protobuf.Text(t, 3, &m.Name)
		protobuf.Text(t, 4, &m.UID)
		protobuf.Text(t, 5, &m.APIVersion)
		protobuf.BoolPointer(t, 6, &m.Controller)
		protobuf.BoolPointer(t, 7, &m.BlockOwnerDeletion)
	}
	return &typeOwnerReference
}

// PutOwnerReference writes m.
func PutOwnerReference(w *protobuf.Writer, n int, m *metav1.OwnerReference) int {
	if m == nil {
		return n
	}
	if m.BlockOwnerDeletion != nil {
		n = w.PutBool(n, 7<<3, *m.BlockOwnerDeletion)
	}
	if m.Controller != nil {
		n = w.PutBool(n, 6<<3, *m.Controller)
	}
	n = w.PutString(n, 5<<3|2, m.APIVersion)
	n = w.PutString(n, 4<<3|2, string(m.UID))
	n = w.PutString(n, 3<<3|2, m.Name)
	n = w.PutString(n, 1<<3|2, m.Kind)
	return n
}

var typeManagedFieldsEntry = protobuf.Type[metav1.ManagedFieldsEntry]{Layout: protobuf.Layout{Slab: managedFieldsEntrySlab}}

// ManagedFieldsEntry says how ManagedFieldsEntry is read.
func ManagedFieldsEntry() *protobuf.Type[metav1.ManagedFieldsEntry] {
	if m := protobuf.Begin(&typeManagedFieldsEntry); m != nil {
		t := &typeManagedFieldsEntry.Layout
		protobuf.Text(t, 1, &m.Manager)
		protobuf.Text(t, 2, &m.Operation)
		protobuf.Text(t, 3, &m.APIVersion)
		protobuf.Pointer(t, 4, &m.Time, Time())
		protobuf.Text(t, 6, &m.FieldsType)
		protobuf.Pointer(t, 7, &m.FieldsV1, FieldsV1())
		protobuf.Text(t, 8, &m.Subresource)
	}
	return &typeManagedFieldsEntry
}

// PutManagedFieldsEntry writes m.
func PutManagedFieldsEntry(w *protobuf.Writer, n int, m *metav1.ManagedFieldsEntry) int {
	if m == nil {
		return n
	}
	n = w.PutString(n, 8<<3|2, m.Subresource)
	if m.FieldsV1 != nil {
		n = w.PutOther(n, 7<<3|2, m.FieldsV1.Size(), m.FieldsV1.MarshalToSizedBuffer)
	}
	n = w.PutString(n, 6<<3|2, m.FieldsType)
	if m.Time != nil {
		n = w.PutTime(n, 4<<3|2, m.Time)
	}
	n = w.PutString(n, 3<<3|2, m.APIVersion)
	n = w.PutString(n, 2<<3|2, string(m.Operation))
	n = w.PutString(n, 1<<3|2, m.Manager)
	return n
}

var typeShardInfo protobuf.Type[metav1.ShardInfo]

// ShardInfo says how ShardInfo is read.
func ShardInfo() *protobuf.Type[metav1.ShardInfo] {
	if m := protobuf.Begin(&typeShardInfo); m != nil {
		t := &typeShardInfo.Layout
		protobuf.Text(t, 1, &m.Selector)
	}
	return &typeShardInfo
}

// PutShardInfo writes m.
func PutShardInfo(w *protobuf.Writer, n int, m *metav1.ShardInfo) int {
	if m == nil {
		return n
	}
	n = w.PutString(n, 1<<3|2, m.Selector)
	return n
}
