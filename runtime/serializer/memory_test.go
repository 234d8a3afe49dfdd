package serializer_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/runtime/wire"
)

var widgetKind = widget.GV1.WithKind("Widget")

// A stranger's object takes 64 MiB at most, whatever it is sent as (TestLimit of package json has
// more JSON); what is stored is read whatever it takes.
func TestMemoryIsBounded(t *testing.T) {
	const parts = 170_000                             // of 408 bytes each
	refs := bytes.Repeat([]byte{13<<3 | 2, 0}, parts) // ownerReferences
	message := binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(refs)))
	message = append(message, refs...)
	for _, tc := range []struct {
		name string
		data string
		form serializer.MediaType
		ok   bool
	}{
		{"a string", `{"spec":{"color":"` + strings.Repeat("a", 1<<20) + `"}}`, serializer.JSON, true},
		{"JSON", `{"metadata":{"ownerReferences":[` + strings.Repeat("{},", parts) + `{}]}}`, serializer.JSON, false},
		{"protobuf", string(wire.AppendEnvelope(nil, "shop.example.com/v1", "Widget", message)), serializer.Protobuf, false},
		{"some protobuf", string(wire.AppendEnvelope(nil, "shop.example.com/v1", "Widget", append(binary.AppendUvarint([]byte{1<<3 | 2}, 2000), refs[:2000]...))), serializer.Protobuf, true},
		{"strings in JSON", `{"metadata":{"finalizers":[` + strings.Repeat(`"a/12345",`, 100_000) + `"a/b"]}}`, serializer.JSON, true},
		{"strings in protobuf", string(wire.AppendEnvelope(nil, "shop.example.com/v1", "Widget", manyStrings(100_000))), serializer.Protobuf, true},
		{"too many strings in JSON", `{"metadata":{"finalizers":[` + strings.Repeat(`"",`, 700_000) + `"a/b"]}}`, serializer.JSON, false},
		{"too many strings in protobuf", string(wire.AppendEnvelope(nil, "shop.example.com/v1", "Widget", manyStrings(700_000))), serializer.Protobuf, false},
		{"YAML", "metadata:\n  ownerReferences:\n" + strings.Repeat("  - {}\n", 60_000), serializer.YAML, false},
		{"flowing YAML", `{"metadata":{"ownerReferences":[` + strings.Repeat("{},\n", 60_000) + `{}]}}`, serializer.YAML, false},
		{"text in YAML", "spec:\n  color: |\n" + strings.Repeat("    "+strings.Repeat(",", 1000)+"\n", 160), serializer.YAML, true},
	} {
		_, body := serializer.DecodeBody(widget.Scheme(), []byte(tc.data), tc.form, widgetKind)
		_, _, into := serializer.DecodeInto([]byte(tc.data), tc.form, widgetKind, new(widget.V1))
		for _, err := range []error{body, into} {
			if tc.ok != (err == nil) || !tc.ok && !apierrors.IsRequestEntityTooLargeError(err) {
				t.Errorf("%s: %.300s", tc.name, fmt.Sprint(err))
			}
		}
		if tc.form == serializer.YAML {
			continue // so many items take seconds
		}
		if _, err := serializer.DecodeShared(widget.Scheme(), []byte(tc.data), tc.form, widgetKind); err != nil {
			t.Errorf("%s, when it is stored: %v", tc.name, err)
		}
	}
}

// manyStrings is a message whose metadata has n finalizers.
func manyStrings(n int) []byte {
	list := bytes.Repeat([]byte{14<<3 | 2, 1, 'a'}, n)
	return append(binary.AppendUvarint([]byte{1<<3 | 2}, uint64(len(list))), list...)
}

// The complaint about a document in which all is there twice can be told.
func TestYAMLDuplicatesAreBounded(t *testing.T) {
	_, strict, err := serializer.YAMLToJSON([]byte(strings.Repeat("a: b\n", 30_000)))
	if err != nil || len(strict) != 1 || len(strict[0].Error()) > 5000 {
		t.Errorf("%v, %d errors, %.300s", err, len(strict), fmt.Sprint(strict))
	}
}
