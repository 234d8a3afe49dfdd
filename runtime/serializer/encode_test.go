package serializer_test

import (
	"bytes"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"

	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
)

func object() *widget.V1 {
	w := &widget.V1{TypeMeta: metav1.TypeMeta{Kind: "Widget", APIVersion: "shop.example.com/v1"}}
	w.Name = "<w>"
	w.Spec.Parts = []widget.Part{{Name: "a", Count: 1}}
	return w
}

func TestEncode(t *testing.T) {
	w := object()
	raw, err := w.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	unknown := apiruntime.Unknown{TypeMeta: apiruntime.TypeMeta{APIVersion: w.APIVersion, Kind: w.Kind}, Raw: raw}
	envelope, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		form   serializer.MediaType
		pretty bool
		want   string
	}{
		{serializer.JSON, false, `{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"\u003cw\u003e"},"spec":{"parts":[{"name":"a","count":1}]},"status":{}}` + "\n"},
		{serializer.JSON, true, `{
  "kind": "Widget",
  "apiVersion": "shop.example.com/v1",
  "metadata": {
    "name": "\u003cw\u003e"
  },
  "spec": {
    "parts": [
      {
        "name": "a",
        "count": 1
      }
    ]
  },
  "status": {}
}
`},
		{serializer.YAML, true, "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: <w>\nspec:\n  parts:\n  - count: 1\n    name: a\nstatus: {}\n"},
		{serializer.Protobuf, true, "k8s\x00" + string(envelope)},
	} {
		var got bytes.Buffer
		if err := serializer.Encode(&got, w, tc.form, tc.pretty); err != nil || got.String() != tc.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", tc.form, err, got.String(), tc.want)
		}
		if got, err := serializer.Append([]byte("before "), w, tc.form, tc.pretty); err != nil || string(got) != "before "+tc.want {
			t.Errorf("%s behind something else: %v\n%s", tc.form, err, got)
		}
	}
}

func TestEncodeFails(t *testing.T) {
	var got bytes.Buffer
	err := serializer.Encode(&got, &widget.Old{}, serializer.Protobuf, false)
	var none *serializer.NoProtobufError
	if !errors.As(err, &none) || got.Len() > 0 {
		t.Errorf("%v, wrote %d bytes", err, got.Len())
	}
	if _, err := serializer.Decode(scheme, []byte("k8s\x00"), serializer.Protobuf, widget.GVOld.WithKind("Widget")); !errors.As(err, &none) {
		t.Errorf("decode: %v", err)
	}
	if dst, err := serializer.Append([]byte("kept"), object(), "text/plain", false); err == nil || string(dst) != "kept" {
		t.Errorf("%q, %v", dst, err)
	}
}

func TestTypeOf(t *testing.T) {
	for header, want := range map[string]serializer.MediaType{
		"":                                serializer.JSON,
		"application/json":                serializer.JSON,
		"Application/JSON; charset=utf-8": serializer.JSON,
		"application/yaml":                serializer.YAML,
		"application/vnd.kubernetes.protobuf;stream=watch": serializer.Protobuf,
		"application/json; =":                              "",
		"application/json;;":                               "",
		"application/json;":                                serializer.JSON,
		"text/plain":                                       "",
		"application/jsonx":                                "",
	} {
		if got, ok := serializer.TypeOf(header); got.MediaType != want || ok != (want != "") {
			t.Errorf("%q is %q", header, got.MediaType)
		}
	}
	if types := serializer.Types(); len(types) != 3 || types[0].MediaType != serializer.JSON || types[1].Stream != serializer.NoStream || types[2].Stream != serializer.LengthPrefix {
		t.Errorf("%+v", types)
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, form := range []serializer.MediaType{serializer.JSON, serializer.Protobuf} {
		data, err := serializer.Append(nil, object(), form, false)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(string(form), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				serializer.Decode(scheme, data, form, v1)
			}
		})
	}
}
