package deepcopy

import (
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Memory has the memory for a copy of metadata: values of one type lie side by side. Generated code
// embeds it where a kind has more than that.
type Memory struct {
	Bools        Slab[bool]
	Int64s       Slab[int64]
	Strings      Slab[string]
	FieldsV1s    Slab[metav1.FieldsV1]
	Entries      Slab[metav1.ManagedFieldsEntry]
	Owners       Slab[metav1.OwnerReference]
	Times        Slab[metav1.Time]
	Requirements Slab[metav1.LabelSelectorRequirement]
}

// First is as much of what metadata has as most objects need.
type First struct {
	bools   [8]bool
	int64s  [2]int64
	fields  [3]metav1.FieldsV1
	entries [1]metav1.ManagedFieldsEntry
	owners  [1]metav1.OwnerReference
	times   [3]metav1.Time
	strings [6]string
}

// Used is how many bytes of a First are needed.
func (m *Memory) Used() uintptr {
	return m.Bools.Fits(8) + m.Int64s.Fits(2) + m.FieldsV1s.Fits(3) + m.Entries.Fits(1) + m.Owners.Fits(1) + m.Times.Fits(3) + m.Strings.Fits(6)
}

// TakeFirst makes from the memory for all that it suffices for.
func (m *Memory) TakeFirst(from *First) {
	m.Bools.Take(from.bools[:])
	m.Int64s.Take(from.int64s[:])
	m.FieldsV1s.Take(from.fields[:])
	m.Entries.Take(from.entries[:])
	m.Owners.Take(from.owners[:])
	m.Times.Take(from.times[:])
	m.Strings.Take(from.strings[:])
}

// entry is what one entry of managed fields needs.
type entry struct {
	fields  [1]metav1.FieldsV1
	entries [1]metav1.ManagedFieldsEntry
	times   [1]metav1.Time
}

// isEntry tells whether just that is needed, apart from strings and the like.
func (m *Memory) isEntry() bool {
	return m.FieldsV1s.Want == 1 && m.Entries.Want == 1 && m.Times.Want == 1
}

func (m *Memory) takeEntry(from *entry) {
	m.FieldsV1s.Take(from.fields[:])
	m.Entries.Take(from.entries[:])
	m.Times.Take(from.times[:])
}

// Prepare allocates either of them in one piece: the larger one, if at least half of it is needed.
func (m *Memory) Prepare() {
	switch {
	case 2*m.Used() >= unsafe.Sizeof(First{}):
		m.TakeFirst(new(First))
	case m.isEntry():
		m.takeEntry(new(entry))
	}
}

// NewObject allocates an object and either of them in one piece, under the same condition.
func NewObject[T any](m *Memory) *T {
	switch {
	case 2*m.Used() >= unsafe.Sizeof(First{}):
		b := new(struct {
			object T
			first  First
		})
		m.TakeFirst(&b.first)
		return &b.object
	case m.isEntry():
		b := new(struct {
			object T
			entry  entry
		})
		m.takeEntry(&b.entry)
		return &b.object
	}
	return new(T)
}
