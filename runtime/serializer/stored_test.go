package serializer_test

import (
	"encoding/base64"
	"testing"

	"github.com/typeplane/typeplane/runtime/serializer"
)

// What lies in a database tells by its beginning what it is, with base64 around it or not.
func TestFormsOfStoredValues(t *testing.T) {
	for stored, want := range map[string]serializer.MediaType{
		"k8s\x00\x0a\x00":                     serializer.Protobuf,
		`{"kind":"Widget","apiVersion":"v1"}`: serializer.JSON,
		"\n {\"apiVersion:\": 1}":             serializer.JSON,
		"apiVersion: v1\nkind: Widget\n":      serializer.YAML,
		"# mine\nkind: Widget\napiVersion: v": serializer.YAML,
		"\xd9\xd9\xf7\xa0":                    "application/cbor",
	} {
		wrapped := base64.StdEncoding.EncodeToString([]byte(stored))
		for _, given := range []string{stored, wrapped} {
			inner := serializer.Unwrap([]byte(given))
			if form := serializer.FormOf(inner); form != want || string(inner) != stored {
				t.Errorf("%q is %q of %s, want %q of %s", given, inner, form, stored, want)
			}
		}
	}
	for _, stored := range []string{"", "?", "k8s", "Zm9v", "not base64!"} { // nothing that can be read: it is shown as it is
		if inner := serializer.Unwrap([]byte(stored)); string(inner) != stored || serializer.FormOf(inner) != serializer.JSON {
			t.Errorf("%q is %q of %s", stored, inner, serializer.FormOf(inner))
		}
	}
}
