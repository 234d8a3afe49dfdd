package runtime

import (
	"maps"
	"slices"

	"github.com/typeplane/typeplane/runtime/wire"
)

// SelectableFields returns the values of the fields that a selector may name, without metadata.name
// and metadata.namespace. The map may be nil.
func (k *Kind) SelectableFields(obj Object) map[string]string {
	if k.selectable == nil {
		return nil
	}
	return k.selectable(obj)
}

// Selectable says whether SelectableFields has label.
func (k *Kind) Selectable(label string) bool { return k.fieldLabels[label] }

// StoredField says where in the encoded message of an object is what SelectableFields has under a
// label. ok is false if the object has to be decoded to know.
func (k *Kind) StoredField(label string) (field wire.Field, ok bool) {
	field, ok = k.storedFields[label]
	return field, ok
}

// fields finds out which field selectors the version has.
func (c *checker) fields(k *Kind, bad func(string, ...any)) {
	if k.selectable == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			k.fieldLabels = nil
			bad("SelectableFields panics for an empty object (%v): it must return the keys for every object", r)
		}
	}()
	k.fieldLabels = map[string]bool{}
	for label := range k.selectable(k.new()) {
		if label == "metadata.name" || label == "metadata.namespace" {
			bad("SelectableFields has %s, which every kind has by itself: leave it out", label)
		}
		k.fieldLabels[label] = true
	}
}

// storedFields checks that what is read from bytes is what is read from an object, as far as an
// empty one shows it.
func (c *checker) storedFields(k *Kind, bad func(string, ...any)) {
	switch {
	case k.storedFields == nil || k.new == nil:
		return
	case k.selectable == nil:
		bad("it has StoredFields and no SelectableFields: set both")
		return
	case k.fieldLabels == nil:
		return // reported with SelectableFields
	case !k.protobuf:
		bad("it has StoredFields and no protobuf methods: put +k8s:protobuf-gen=package into its doc.go and run gen")
		return
	}
	empty := k.new()
	message, err := marshal(empty.(Protobuf))
	if err != nil {
		return // reported with the protobuf methods
	}
	want := k.selectable(empty)
	for _, label := range slices.Sorted(maps.Keys(k.storedFields)) {
		if !k.fieldLabels[label] {
			bad("StoredFields has %s, which SelectableFields has not: run gen", label)
			continue
		}
		got, err := wire.NewReader(k.storedFields[label]).Read(nil, message)
		if err != nil {
			bad("StoredFields can't read %s of an empty object (%v): run gen", label, err)
		} else if got[0] != want[label] {
			bad("StoredFields reads %q as %s of an empty object, SelectableFields returns %q: run gen", got[0], label, want[label])
		}
	}
}
