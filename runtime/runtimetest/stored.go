package runtimetest

import (
	"maps"
	"math/rand"
	"slices"
	"testing"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

// mutations is how many damaged encodings are made of each object.
const mutations = 50

// checkStored compares the fields that are read from the bytes of obj with those that decoding
// gives. It takes the encoding as it is, the encoding behind that of another object (the fields of
// both add up), and damaged ones.
func checkStored(t *testing.T, kind *runtime.Kind, obj, other runtime.Object, seed int64) {
	t.Helper()
	if labels, _ := stored(kind, obj); len(labels) == 0 {
		return
	}
	message := encoded(t, kind, obj)
	agree(t, kind, message, "its encoding", true)
	agree(t, kind, slices.Concat(encoded(t, kind, other), message), "behind the encoding of another object", true)
	random := rand.New(rand.NewSource(seed))
	for range mutations {
		damaged := slices.Clone(message)
		damaged[random.Intn(len(damaged))] ^= 1 << random.Intn(8)
		if kind.New().(runtime.Protobuf).Unmarshal(damaged) == nil {
			agree(t, kind, damaged, "its encoding with one bit flipped", false)
		}
	}
}

func encoded(t *testing.T, kind *runtime.Kind, obj runtime.Object) []byte {
	t.Helper()
	value, err := serializer.AppendProtobuf(nil, obj, kind.GroupVersionKind())
	if err != nil {
		t.Fatal(err)
	}
	message, err := wire.Message(value)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

// agree wants the same of both for every field that can be read from the bytes. Only those of a
// message that is intact have to be readable.
func agree(t *testing.T, kind *runtime.Kind, message []byte, what string, intact bool) {
	t.Helper()
	obj := kind.New()
	if err := obj.(runtime.Protobuf).Unmarshal(message); err != nil {
		t.Errorf("StoredFields: %s can't be decoded: %v", what, err)
		return
	}
	labels, reader := stored(kind, obj)
	want := kind.SelectableFields(obj)
	got, err := reader.Read(nil, message)
	if err != nil && intact {
		t.Errorf("StoredFields: %s: %v", what, err)
	}
	for i, label := range labels {
		if err == nil && got[i] != want[label] {
			t.Errorf("StoredFields: %s: %s is %q, and %q in the decoded object", what, label, got[i], want[label])
		}
	}
}

// stored are the selectable fields of a kind that can be read from bytes.
func stored(kind *runtime.Kind, obj runtime.Object) (labels []string, reader *wire.Reader) {
	var places []wire.Field
	for _, label := range slices.Sorted(maps.Keys(kind.SelectableFields(obj))) {
		if place, ok := kind.StoredField(label); ok {
			labels, places = append(labels, label), append(places, place)
		}
	}
	return labels, wire.NewReader(places...)
}
