package serializer_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
)

var (
	scheme = widget.Scheme()
	v1     = widget.GV1.WithKind("Widget")
	beta   = widget.GV1beta1.WithKind("Widget")
)

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		name, data string
		form       serializer.MediaType // "": JSON, and YAML too
		defaults   schema.GroupVersionKind
		kind       schema.GroupVersionKind
		color      string
		strict     string
		err        string
	}{
		{name: "says what it is", data: `{"kind":"Widget","apiVersion":"shop.example.com/v1","spec":{"color":"red"}}`, defaults: v1, kind: v1, color: "red"},
		{name: "says nothing", data: `{"spec":{"color":"red"}}`, defaults: v1, kind: v1, color: "red"},
		{name: "says its kind", data: `{"kind":"Widget","spec":{"color":"red"}}`, defaults: v1, kind: v1, color: "red"},
		{name: "says its version", data: `{"apiVersion":"shop.example.com/v1","spec":{"color":"red"}}`, defaults: v1, kind: v1, color: "red"},
		{name: "says another version", data: `{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","spec":{"colour":"red"}}`, defaults: v1, kind: beta, color: "red"},
		{name: "another version, which the expected one can't read", data: `{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","spec":{"colour":"red","options":{}},"status":{"phase":"x"}}`, defaults: v1, kind: beta, color: "red"},
		{name: "no defaults", data: `{"kind":"Widget","apiVersion":"shop.example.com/v1","spec":{"color":"red"}}`, kind: v1, color: "red"},
		{name: "defaults that nobody knows", data: `{"kind":"Widget","apiVersion":"shop.example.com/v1","spec":{"color":"red"}}`, defaults: widget.GV1.WithKind("Gadget"), kind: v1, color: "red"},
		{name: "unknown kind", data: `{"kind":"Gadget","apiVersion":"shop.example.com/v1"}`, defaults: v1, err: `no kind "Gadget" is registered for version "shop.example.com/v1"`},
		{name: "core version", data: `{"kind":"Widget","apiVersion":"v1"}`, defaults: v1, err: `no kind "Widget" is registered for version "v1"`},
		{name: "no kind", data: `{"apiVersion":"shop.example.com/v1"}`, err: "the object has no kind: set kind and apiVersion"},
		{name: "no version", data: `{"kind":"Widget"}`, err: "the object has no apiVersion: set it, like example.com/v1"},
		{name: "bad version", data: `{"kind":"Widget","apiVersion":"a/b/c"}`, defaults: v1, err: "unexpected GroupVersion string: a/b/c"},

		{name: "unknown fields", data: `{"spec":{"color":"red","Color":"x","parts":[{"name":"a"},{"nam":"b"}],"size":1},"x":{}}`, defaults: v1, kind: v1, color: "red",
			strict: `strict decoding error: unknown field "spec.Color", unknown field "spec.parts[1].nam", unknown field "spec.size", unknown field "x"`},
		{name: "a field twice", form: serializer.JSON, data: `{"spec":{"color":"blue","color":"red"}}`, defaults: v1, kind: v1, color: "red",
			strict: `strict decoding error: duplicate field "spec.color"`},
		{name: "a field twice", form: serializer.YAML, data: "spec:\n  color: blue\n  color: red\n", defaults: v1, kind: v1, color: "red",
			strict: "strict decoding error: yaml: unmarshal errors:\n  line 3: key \"color\" already set in map"},
		{name: "wrong type", data: `{"spec":{"replicas":"many"}}`, defaults: v1, err: "json: cannot unmarshal string into Go struct field V1Spec.spec.replicas of type int32"},
		{name: "a list", data: `[]`, defaults: v1, err: "json parse error: json: cannot unmarshal array into Go value"},
		{name: "cut", form: serializer.JSON, data: `{"spec":{`, defaults: v1, err: "json parse error: unexpected end of JSON input"},
		{name: "two", form: serializer.JSON, data: `{}{}`, defaults: v1, err: "json parse error: invalid character '{' after top-level value"},
		{name: "nothing", form: serializer.JSON, data: ``, defaults: v1, err: "json parse error: unexpected end of JSON input"},
		{name: "deep", form: serializer.JSON, data: strings.Repeat(`[`, 10001), defaults: v1, err: "exceeded max depth"},
		{name: "deep within", form: serializer.JSON, data: `{"x":` + strings.Repeat(`{"x":`, 10000) + `1` + strings.Repeat(`}`, 10001), defaults: v1, err: "exceeded max depth"},
		{name: "deep", form: serializer.YAML, data: strings.Repeat(`[`, 10001), defaults: v1, err: "exceeded max depth"},
		{name: "deep indentation", form: serializer.YAML, data: deepYAML(10001), defaults: v1, err: "exceeded max depth"},
		{name: "YAML", form: serializer.YAML, data: "spec: {color: red} # comment", defaults: v1, kind: v1, color: "red"},
		{name: "no YAML", form: serializer.YAML, data: "a: b: c", defaults: v1, err: "yaml: mapping values are not allowed in this context"},
		{name: "aliases", form: serializer.YAML, data: "x: &a red\nspec: {color: *a}", defaults: v1, kind: v1, color: "red", strict: `strict decoding error: unknown field "x"`},
		{name: "alias to itself", form: serializer.YAML, data: "x: &a [*a]", defaults: v1, err: "contains"},
		{name: "not protobuf", form: serializer.Protobuf, data: `{}`, defaults: v1, err: `it does not begin with "k8s\x00"`},
		{name: "broken protobuf", form: serializer.Protobuf, data: "k8s\x00\x12\x7f", defaults: v1, err: "protobuf envelope: "},
		{name: "broken message", form: serializer.Protobuf, data: "k8s\x00\x12\x02\x0a\x7f", defaults: v1, err: "unexpected EOF"},
		{name: "empty protobuf", form: serializer.Protobuf, data: "k8s\x00", defaults: v1, kind: v1},
		{name: "another form", form: "application/cbor", err: `can't read "application/cbor"`},
	} {
		forms := []serializer.MediaType{tc.form}
		if tc.form == "" {
			forms = []serializer.MediaType{serializer.JSON, serializer.YAML} // all JSON is YAML
		}
		for _, form := range forms {
			t.Run(string(form)+" "+tc.name, func(t *testing.T) {
				got, err := serializer.Decode(scheme, []byte(tc.data), form, tc.defaults)
				if tc.err != "" {
					if err == nil || !strings.Contains(err.Error(), tc.err) || got.Object != nil {
						t.Errorf("%v, %v\nwant %s", got.Object, err, tc.err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got.GroupVersionKind != tc.kind || got.Object.GetObjectKind().GroupVersionKind() != tc.kind {
					t.Errorf("kind %v, in the object %v, want %v", got.GroupVersionKind, got.Object.GetObjectKind().GroupVersionKind(), tc.kind)
				}
				if color := colorOf(got.Object); color != tc.color {
					t.Errorf("color %q, want %q", color, tc.color)
				}
				strict := ""
				if err := got.StrictError(); err != nil {
					strict = err.Error()
				}
				if strict != tc.strict {
					t.Errorf("strict errors\n%s\nwant\n%s", strict, tc.strict)
				}
			})
		}
	}
}

func deepYAML(n int) string {
	return strings.Repeat("- ", n) + "x"
}

func colorOf(obj runtime.Object) string {
	if v, ok := obj.(*widget.V1); ok {
		return v.Spec.Color
	}
	return obj.(*widget.V1beta1).Spec.Colour
}

func TestNotRegisteredIsTyped(t *testing.T) {
	_, err := serializer.Decode(scheme, []byte(`{"kind":"Gadget"}`), serializer.JSON, v1)
	var missing *runtime.NotRegisteredError
	if !errors.As(err, &missing) || missing.GroupVersionKind != widget.GV1.WithKind("Gadget") {
		t.Errorf("%v", err)
	}
}

func TestBombs(t *testing.T) {
	billion := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'j'; c++ {
		prev := string(c - 1)
		billion += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+prev+",", 8) + "*" + prev + "]\n"
	}
	for name, data := range map[string]string{
		"a billion laughs": billion,
		"a long string":    "a: &a " + strings.Repeat("x", 1<<20) + "\nb: [" + strings.Repeat("*a,", 1000) + "*a]\n",
		"merge keys":       "a: &a {" + strings.Repeat("k: v, ", 1) + "k2: " + strings.Repeat("x", 1<<20) + "}\nb: [" + strings.Repeat("{<<: *a},", 1000) + "{}]\n",
	} {
		start := time.Now()
		_, err := serializer.Decode(scheme, []byte(data), serializer.YAML, v1)
		if err == nil || !strings.Contains(err.Error(), "expands to more than") {
			t.Errorf("%s: %v", name, err)
		}
		if d := time.Since(start); d > 30*time.Second {
			t.Errorf("%s takes %v", name, d)
		}
	}
}

// TestKindsOfTheProtocol: what clients send besides the kinds of a scheme, in every form.
func TestKindsOfTheProtocol(t *testing.T) {
	policy := metav1.DeletePropagationBackground
	u := types.UID("u")
	uid := metav1.Preconditions{UID: &u}
	opts := &metav1.DeleteOptions{TypeMeta: metav1.TypeMeta{Kind: "DeleteOptions", APIVersion: "meta.k8s.io/v1"}, PropagationPolicy: &policy, Preconditions: &uid, DryRun: []string{"All"}}
	status := &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: "Failure", Code: 404, Reason: "NotFound", Details: &metav1.StatusDetails{Name: "w"}}
	for _, form := range []serializer.MediaType{serializer.JSON, serializer.YAML, serializer.Protobuf} {
		data, err := serializer.Append(nil, opts, form, false)
		if err != nil {
			t.Fatal(err)
		}
		gotOpts := new(metav1.DeleteOptions)
		gvk, strict, err := serializer.DecodeInto(data, form, schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}, gotOpts)
		if err != nil || len(strict) > 0 || gvk.String() != "meta.k8s.io/v1, Kind=DeleteOptions" {
			t.Errorf("%s: %v, %v, %v", form, gvk, strict, err)
		}
		if diff := cmp.Diff(opts, gotOpts); diff != "" {
			t.Errorf("%s (-want +got)\n%s", form, diff)
		}

		data, err = serializer.Append(nil, status, form, false)
		if err != nil {
			t.Fatal(err)
		}
		gotStatus := new(metav1.Status)
		if _, _, err = serializer.DecodeInto(data, form, schema.GroupVersionKind{}, gotStatus); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(status, gotStatus); diff != "" {
			t.Errorf("%s (-want +got)\n%s", form, diff)
		}
		if gvk, err := serializer.KindOf(data, form); err != nil || gvk.String() != "/v1, Kind=Status" {
			t.Errorf("%s: kind of it: %v, %v", form, gvk, err)
		}
	}
	gvk, strict, err := serializer.DecodeInto([]byte(`{"propagationPolicy":"Orphan","x":1}`), serializer.JSON, schema.GroupVersionKind{Version: "v1", Kind: "DeleteOptions"}, opts)
	if err != nil || len(strict) != 1 || *opts.PropagationPolicy != "Orphan" || gvk.Kind != "DeleteOptions" {
		t.Errorf("%v, %v, %v", gvk, strict, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"kind":"Widget","apiVersion":"shop.example.com/v1","spec":{"parts":[{"name":"a"}]}}`))
	f.Add([]byte("spec: &a {color: [*b]}\nx: &b *a\n"))
	f.Add([]byte("k8s\x00\x0a\x1d\x0a\x13shop.example.com/v1\x12\x06Widget\x12\x04\x12\x02\x0a\x00\x1a\x00\x22\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, form := range []serializer.MediaType{serializer.JSON, serializer.YAML, serializer.Protobuf} {
			got, err := serializer.Decode(scheme, data, form, v1)
			if err != nil {
				continue
			}
			// What can be read can be written and read again.
			again, err := serializer.Append(nil, got.Object, form, true)
			if err != nil {
				t.Fatal(err)
			}
			back, err := serializer.Decode(scheme, again, form, v1)
			if err != nil || back.GroupVersionKind != got.GroupVersionKind {
				t.Fatalf("%s: %q became %q: %v", form, data, again, err)
			}
		}
	})
}
