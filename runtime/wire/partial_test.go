package wire_test

import (
	"bytes"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/runtime/wire"
)

// checkPartial compares the metadata that is cut out of value with what decoding and encoding makes
// of it.
func checkPartial(t *testing.T, meta metav1.ObjectMeta, value []byte, revision int64) {
	t.Helper()
	partial := metav1.PartialObjectMetadata{ObjectMeta: meta}
	raw, err := partial.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.AppendPartial([]byte("kept"), "meta.k8s.io/v1", "PartialObjectMetadata", value, revision)
	if want := "kept" + string(envelope(t, "meta.k8s.io/v1", "PartialObjectMetadata", raw)); err != nil || string(got) != want {
		t.Fatalf("the metadata alone: %v\n%x\nwant\n%x", err, got, want)
	}
	item, err := wire.AppendPartialItem(nil, value, revision)
	if err != nil {
		t.Fatal(err)
	}
	size, err := wire.PartialItemSize(value, revision)
	if want := wire.AppendRawItem(nil, raw); err != nil || !bytes.Equal(item, want) || size != len(want) {
		t.Fatalf("the metadata as an item: %v\n%x (PartialItemSize %d)\nwant\n%x", err, item, size, want)
	}
	fields, err := wire.ObjectMeta(value)
	if err != nil {
		t.Fatal(err)
	}
	var read metav1.ObjectMeta
	if err := read.Unmarshal(fields); err != nil {
		t.Fatal(err)
	}
	read.ResourceVersion = meta.ResourceVersion
	if again, err := read.Marshal(); err != nil || !bytes.Equal(again, raw[len(raw)-len(again):]) {
		t.Fatalf("ObjectMeta returns %x, %v", fields, err)
	}
}
