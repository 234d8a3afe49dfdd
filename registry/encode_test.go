package registry_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/wire"
)

// countingWriter counts the pieces in which something is written.
type countingWriter struct {
	bytes.Buffer
	writes, largest int
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.writes++
	w.largest = max(w.largest, len(p))
	return w.Buffer.Write(p)
}

func TestAListIsWrittenInPieces(t *testing.T) {
	s := serve(t, strategy{})
	var want widget.V1List
	for i := range 400 {
		want.Items = append(want.Items, *s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%03d","annotations":{"x":%q}},"spec":{"options":{"<&>":"\u2028"}}}`, i, strings.Repeat("x", i*3))))
	}
	view, err := s.v1.List.List(ctx, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want.TypeMeta = metav1.TypeMeta{Kind: "WidgetList", APIVersion: "shop.example.com/v1"}
	want.ResourceVersion = fmt.Sprint(s.Revision())
	for i := range want.Items {
		want.Items[i].TypeMeta = metav1.TypeMeta{}
	}
	asJSON, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for mediaType, want := range map[rest.MediaType][]byte{
		rest.JSON:     append(asJSON, '\n'),
		rest.Protobuf: wire.AppendEnvelope(nil, "shop.example.com/v1", "WidgetList", raw),
	} {
		var got countingWriter
		if err := view.WriteTo(&got, rest.Representation{MediaType: mediaType}); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got.Bytes(), want) {
			t.Errorf("%s: the list differs from a typed one", mediaType)
		}
		if got.writes < 3 || got.largest > 80<<10 {
			t.Errorf("%s: %d bytes in %d writes, the largest of %d", mediaType, got.Len(), got.writes, got.largest)
		}
	}
}

func TestNoProtobufForAVersionWithout(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	one, err := s.old.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.old.List.List(ctx, "", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for kind, view := range map[string]rest.View{"Old": one, "OldList": list} {
		var got countingWriter
		err := view.WriteTo(&got, rest.Representation{MediaType: rest.Protobuf})
		wantStatus(t, err, 406, "NotAcceptable", "*widget."+kind+" has no protobuf form: ask for application/json or application/yaml")
		if got.writes != 0 {
			t.Error("something was written")
		}
	}
}

func TestStale(t *testing.T) {
	const key = "/shop.example.com/widgets/ns/w"
	raw := func(w *widget.V1) []byte {
		raw, err := w.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	complete := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w"}}
	widget.DefaultV1(complete)
	canonical := protobufOf("shop.example.com/v1", raw(complete))
	complete.TypeMeta = metav1.TypeMeta{Kind: "Widget", APIVersion: "shop.example.com/v1"}
	asJSON, err := json.Marshal(complete)
	if err != nil {
		t.Fatal(err)
	}
	asJSON = append(asJSON, '\n')
	revised := complete.DeepCopyObject().(*widget.V1)
	revised.ResourceVersion = "5"

	for _, tc := range []struct {
		name      string
		mediaType rest.MediaType
		stored    []byte
		stale     bool
		same      bool // the very slice comes back
	}{
		{"canonical", rest.Protobuf, canonical, false, true},
		{"JSON", rest.Protobuf, asJSON, true, false},
		{"a default is missing", rest.Protobuf, protobufOf("shop.example.com/v1", raw(&widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w"}})), true, false},
		{"a resourceVersion", rest.Protobuf, protobufOf("shop.example.com/v1", raw(revised)), true, false},
		{"an unknown field", rest.Protobuf, protobufOf("shop.example.com/v1", append(raw(complete), 0x7a, 0x01, 'x')), true, false},
		{"JSON is wanted, and there", rest.JSON, asJSON, false, false},
		{"JSON is wanted", rest.JSON, canonical, true, true},
		{"JSON with another key order", rest.JSON, []byte(strings.Replace(string(asJSON), `"kind":"Widget","apiVersion":"shop.example.com/v1"`, `"apiVersion":"shop.example.com/v1","kind":"Widget"`, 1)), true, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{StorageMediaType: tc.mediaType})
			if err != nil {
				t.Fatal(err)
			}
			before := bytes.Clone(tc.stored)
			value, stale, err := form.Canonical(key, tc.stored)
			if err != nil || stale != tc.stale || !bytes.Equal(value, canonical) {
				t.Errorf("stale %v, %v\n%q\nwant\n%q", stale, err, value, canonical)
			}
			if same := len(value) > 0 && &value[0] == &tc.stored[0]; same != tc.same {
				t.Errorf("the same slice: %v", same)
			}
			if !bytes.Equal(before, tc.stored) {
				t.Error("the stored value was modified")
			}
			written, err := form.Stored(key, value)
			if want := map[rest.MediaType][]byte{rest.Protobuf: canonical, rest.JSON: asJSON}[tc.mediaType]; err != nil || !bytes.Equal(written, want) {
				t.Errorf("would be written as %q, %v", written, err)
			}
		})
	}
}

func TestCanonicalRefuses(t *testing.T) {
	form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for stored, want := range map[string]string{
		"":                    "json parse error: unexpected end of JSON input",
		"k8s\x00\x12":         "protobuf envelope: ",
		"k8s:enc:aesgcm:v1:k": "json parse error: invalid character 'k'",
		`{"kind":"Widget"}`:   "the object has no apiVersion",
		`{"kind":"Widget","apiVersion":"shop.example.com/v0"}`:                                        `no kind "Widget" is registered for version "shop.example.com/v0"`,
		`{"kind":"Widget","apiVersion":"shop.example.com/v1","spec":{"replicas":"x"}}`:                "cannot unmarshal string into Go struct field",
		`{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","spec":{"colour":"unconvertible"}}`: `has no color`,
		`{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","spec":{"colour":"panic"}}`:         `panic: no such colour`,
		strings.Repeat("[", 20000): "exceeded max depth",
	} {
		value, _, err := form.Canonical("/shop.example.com/widgets/ns/w", []byte(stored))
		if err == nil || !strings.Contains(err.Error(), want) || value != nil {
			t.Errorf("%.60q: %v, want %s", stored, err, want)
		} else if !strings.Contains(err.Error(), "/shop.example.com/widgets/ns/w") {
			t.Errorf("the error does not say which: %v", err)
		}
	}
}

// A GET in protobuf and each event of a watch are bytes that are there already. Between the store
// and the writer nothing is decoded, and nothing is allocated where the writer has room.
func TestStoredProtobufIsWrittenWithoutAllocations(t *testing.T) {
	s := serve(t, strategy{})
	created := s.mustCreate(`{"metadata":{"name":"w"},"spec":{"options":{"a":"b"}}}`)
	view, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	form := rest.Representation{MediaType: rest.Protobuf}
	var out bytes.Buffer
	if err := view.WriteTo(&out, form); err != nil {
		t.Fatal(err)
	}
	if meta, err := wire.ReadMeta(out.Bytes()); err != nil || meta.Name != "w" || meta.ResourceVersion != created.ResourceVersion {
		t.Errorf("written %+v (%v), want resourceVersion %s", meta, err, created.ResourceVersion)
	}
	if n := testing.AllocsPerRun(100, func() {
		out.Reset()
		if err := view.WriteTo(&out, form); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
