package deepcopy

import (
	"maps"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The functions below copy in to memory that they get for all of it at once, as far as that is
// worth it.

// ObjectMeta copies in to out, which may hold anything.
func ObjectMeta(in, out *metav1.ObjectMeta) {
	var m Memory
	CountObjectMeta(&m, in)
	m.Prepare()
	CopyObjectMeta(&m, in, out)
}

// OwnerReference copies in to out, which may hold anything.
func OwnerReference(in, out *metav1.OwnerReference) {
	var m Memory
	CountOwnerReference(&m, in)
	CopyOwnerReference(&m, in, out)
}

// ManagedFieldsEntry copies in to out, which may hold anything.
func ManagedFieldsEntry(in, out *metav1.ManagedFieldsEntry) {
	var m Memory
	CountManagedFieldsEntry(&m, in)
	CopyManagedFieldsEntry(&m, in, out)
}

// ListMeta copies in to out, which may hold anything.
func ListMeta(in, out *metav1.ListMeta) {
	var m Memory
	CountListMeta(&m, in)
	CopyListMeta(&m, in, out)
}

// LabelSelector copies in to out, which may hold anything.
func LabelSelector(in, out *metav1.LabelSelector) {
	var m Memory
	CountLabelSelector(&m, in)
	CopyLabelSelector(&m, in, out)
}

// LabelSelectorRequirement copies in to out, which may hold anything.
func LabelSelectorRequirement(in, out *metav1.LabelSelectorRequirement) {
	var m Memory
	CountLabelSelectorRequirement(&m, in)
	CopyLabelSelectorRequirement(&m, in, out)
}

// CountObjectMeta counts what CopyObjectMeta takes.
func CountObjectMeta(m *Memory, in *metav1.ObjectMeta) {
	if in.DeletionTimestamp != nil {
		m.Times.Want++
	}
	if in.DeletionGracePeriodSeconds != nil {
		m.Int64s.Want++
	}
	m.Owners.Want += len(in.OwnerReferences)
	for i := range in.OwnerReferences {
		CountOwnerReference(m, &in.OwnerReferences[i])
	}
	m.Strings.Want += len(in.Finalizers)
	m.Entries.Want += len(in.ManagedFields)
	for i := range in.ManagedFields {
		CountManagedFieldsEntry(m, &in.ManagedFields[i])
	}
}

// CopyObjectMeta copies in to out, which may hold anything.
func CopyObjectMeta(m *Memory, in, out *metav1.ObjectMeta) {
	if unsafe.Sizeof(*in) != 232 {
		in.DeepCopyInto(out)
		return
	}
	*out = *in
	if in.DeletionTimestamp != nil {
		out.DeletionTimestamp = m.Times.One()
		*out.DeletionTimestamp = *in.DeletionTimestamp
	}
	if in.DeletionGracePeriodSeconds != nil {
		out.DeletionGracePeriodSeconds = m.Int64s.One()
		*out.DeletionGracePeriodSeconds = *in.DeletionGracePeriodSeconds
	}
	out.Labels = maps.Clone(in.Labels)
	out.Annotations = maps.Clone(in.Annotations)
	if in.OwnerReferences != nil {
		out.OwnerReferences = m.Owners.List(len(in.OwnerReferences))
		for i := range in.OwnerReferences {
			CopyOwnerReference(m, &in.OwnerReferences[i], &out.OwnerReferences[i])
		}
	}
	if in.Finalizers != nil {
		out.Finalizers = m.Strings.List(len(in.Finalizers))
		copy(out.Finalizers, in.Finalizers)
	}
	if in.ManagedFields != nil {
		out.ManagedFields = m.Entries.List(len(in.ManagedFields))
		for i := range in.ManagedFields {
			CopyManagedFieldsEntry(m, &in.ManagedFields[i], &out.ManagedFields[i])
		}
	}
}

// CountOwnerReference counts what CopyOwnerReference takes.
func CountOwnerReference(m *Memory, in *metav1.OwnerReference) {
	if in.Controller != nil {
		m.Bools.Want++
	}
	if in.BlockOwnerDeletion != nil {
		m.Bools.Want++
	}
}

// CopyOwnerReference copies in to out, which may hold anything.
func CopyOwnerReference(m *Memory, in, out *metav1.OwnerReference) {
	if unsafe.Sizeof(*in) != 80 {
		in.DeepCopyInto(out)
		return
	}
	*out = *in
	if in.Controller != nil {
		out.Controller = m.Bools.One()
		*out.Controller = *in.Controller
	}
	if in.BlockOwnerDeletion != nil {
		out.BlockOwnerDeletion = m.Bools.One()
		*out.BlockOwnerDeletion = *in.BlockOwnerDeletion
	}
}

// CountManagedFieldsEntry counts what CopyManagedFieldsEntry takes.
func CountManagedFieldsEntry(m *Memory, in *metav1.ManagedFieldsEntry) {
	if in.Time != nil {
		m.Times.Want++
	}
	if in.FieldsV1 != nil {
		m.FieldsV1s.Want++
	}
}

// CopyManagedFieldsEntry copies in to out, which may hold anything.
func CopyManagedFieldsEntry(m *Memory, in, out *metav1.ManagedFieldsEntry) {
	if unsafe.Sizeof(*in) != 96 {
		in.DeepCopyInto(out)
		return
	}
	*out = *in
	if in.Time != nil {
		out.Time = m.Times.One()
		*out.Time = *in.Time
	}
	if in.FieldsV1 != nil {
		out.FieldsV1 = m.FieldsV1s.One()
		in.FieldsV1.DeepCopyInto(out.FieldsV1)
	}
}

// CountListMeta counts what CopyListMeta takes.
func CountListMeta(m *Memory, in *metav1.ListMeta) {
	if in.RemainingItemCount != nil {
		m.Int64s.Want++
	}
}

// CopyListMeta copies in to out, which may hold anything.
func CopyListMeta(m *Memory, in, out *metav1.ListMeta) {
	if unsafe.Sizeof(*in) != 64 || unsafe.Sizeof(metav1.ShardInfo{}) != 16 {
		in.DeepCopyInto(out)
		return
	}
	*out = *in
	if in.RemainingItemCount != nil {
		out.RemainingItemCount = m.Int64s.One()
		*out.RemainingItemCount = *in.RemainingItemCount
	}
	if in.ShardInfo != nil {
		v := *in.ShardInfo
		out.ShardInfo = &v
	}
}

// CountLabelSelector counts what CopyLabelSelector takes.
func CountLabelSelector(m *Memory, in *metav1.LabelSelector) {
	m.Requirements.Want += len(in.MatchExpressions)
	for i := range in.MatchExpressions {
		CountLabelSelectorRequirement(m, &in.MatchExpressions[i])
	}
}

// CopyLabelSelector copies in to out, which may hold anything.
func CopyLabelSelector(m *Memory, in, out *metav1.LabelSelector) {
	if unsafe.Sizeof(*in) != 32 {
		in.DeepCopyInto(out)
		return
	}
	*out = *in
	out.MatchLabels = maps.Clone(in.MatchLabels)
	if in.MatchExpressions != nil {
		out.MatchExpressions = m.Requirements.List(len(in.MatchExpressions))
		for i := range in.MatchExpressions {
			CopyLabelSelectorRequirement(m, &in.MatchExpressions[i], &out.MatchExpressions[i])
		}
	}
}

// CountLabelSelectorRequirement counts what CopyLabelSelectorRequirement takes.
func CountLabelSelectorRequirement(m *Memory, in *metav1.LabelSelectorRequirement) {
	m.Strings.Want += len(in.Values)
}

// CopyLabelSelectorRequirement copies in to out, which may hold anything.
func CopyLabelSelectorRequirement(m *Memory, in, out *metav1.LabelSelectorRequirement) {
	if unsafe.Sizeof(*in) != 56 {
		in.DeepCopyInto(out)
		return
	}
	*out = *in
	if in.Values != nil {
		out.Values = m.Strings.List(len(in.Values))
		copy(out.Values, in.Values)
	}
}
