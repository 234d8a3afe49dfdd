package runtimetest

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// Options tunes Run. The zero value is ready.
type Options struct {
	// Rounds is how many objects are made of each kind; 0 is 100 for Run, and 10 for RunLossless,
	// which makes many of each.
	Rounds int
	// Seed starts the random values; the same seed makes the same objects.
	Seed int64
	// Fill holds functions for randfill (func(*T, randfill.Continue)) for types whose values follow
	// a rule.
	Fill []any
}

// Run checks each kind of scheme in each version, in a subtest of its own.
func Run(t *testing.T, scheme *runtime.Scheme, opts Options) {
	if opts.Rounds == 0 {
		opts.Rounds = 100
	}
	for _, group := range scheme.Groups() {
		for _, gv := range scheme.VersionsOf(group) {
			for _, kind := range scheme.KindsOf(gv) {
				gvk := kind.GroupVersionKind()
				t.Run(gvk.GroupVersion().String()+"."+gvk.Kind, func(t *testing.T) { runKind(t, scheme, kind, opts) })
			}
		}
	}
}

func runKind(t *testing.T, scheme *runtime.Scheme, kind *runtime.Kind, opts Options) {
	filler := newFiller(opts.Seed, opts.Fill)
	fields := newReached(reflect.TypeOf(kind.New()))
	other := kind.New()
	for round := range opts.Rounds {
		obj := kind.New()
		filler.Fill(obj)
		fields.note("", reflect.ValueOf(obj))
		checkCopy(t, obj)
		checkFunctions(t, kind, obj)
		checkEncoding(t, scheme, kind, obj, serializer.JSON)
		checkEncoding(t, scheme, kind, obj, serializer.YAML)
		if kind.Protobuf() {
			checkEncoding(t, scheme, kind, obj, serializer.Protobuf)
		}
		if kind.Protobuf() {
			checkStored(t, kind, obj, other, opts.Seed+int64(round))
			other = obj.DeepCopyObject().(runtime.Object)
		}
		checkConversion(t, kind, obj)
		if t.Failed() {
			return // one bad object says enough
		}
	}
	if kind.Transcodes() {
		runTranscoded(t, kind, opts)
	}
	for _, name := range fields.missed() {
		t.Errorf("%s was zero in all %d objects: the checks say nothing about it; give Options.Fill a function that sets it", name, opts.Rounds)
	}
}

func checkCopy(t *testing.T, obj runtime.Object) {
	t.Helper()
	copied := obj.DeepCopyObject()
	if diff := difference(obj, copied); diff != "" {
		t.Errorf("DeepCopyObject changes the object (-original +copy):\n%s", diff)
	}
	if path := sharedMemory("", reflect.ValueOf(obj), reflect.ValueOf(copied)); path != "" {
		t.Errorf("the copy shares memory with the original at %s", path)
	}
}

func checkEncoding(t *testing.T, scheme *runtime.Scheme, kind *runtime.Kind, obj runtime.Object, form serializer.MediaType) {
	t.Helper()
	sent := typed(obj, kind.GroupVersionKind())
	data, err := serializer.Append(nil, sent, form, false)
	if err != nil {
		t.Errorf("%s: encode: %v", form, err)
		return
	}
	decoded, err := serializer.Decode(scheme, data, form, schema.GroupVersionKind{})
	if err != nil {
		t.Errorf("%s: decode what was encoded: %v\n%q", form, err, data)
		return
	}
	if len(decoded.Strict) != 0 {
		t.Errorf("%s: fields that nobody knows in what was encoded: %v", form, decoded.Strict)
	}
	if diff := difference(sent, typed(decoded.Object, kind.GroupVersionKind())); diff != "" {
		t.Errorf("%s: encoding and decoding changes the object (-sent +received):\n%s", form, diff)
	}
	again, err := serializer.Append(nil, typed(decoded.Object, kind.GroupVersionKind()), form, false)
	if err != nil || string(again) != string(data) {
		t.Errorf("%s: the same object has two encodings (%v):\n%q\n%q", form, err, data, again)
	}
}

func checkConversion(t *testing.T, kind *runtime.Kind, obj runtime.Object) {
	t.Helper()
	before := obj.DeepCopyObject().(runtime.Object)
	hub, err := kind.ToHub(before)
	if err != nil {
		t.Errorf("to the hub: %v", err)
		return
	}
	back, err := kind.FromHub(hub)
	if err != nil {
		t.Errorf("from the hub: %v", err)
		return
	}
	if diff := difference(obj, back); diff != "" {
		t.Errorf("conversion to the hub and back changes the object (-before +after):\n%s", diff)
	}
}

// typed returns a copy of obj that says what it is.
func typed(obj runtime.Object, gvk schema.GroupVersionKind) runtime.Object {
	out := obj.DeepCopyObject().(runtime.Object)
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out
}

func difference(want, got any, more ...cmp.Option) string {
	return cmp.Diff(want, got, append(more,
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.Comparer(func(a, b resource.Quantity) bool { return a.Cmp(b) == 0 }),
		cmp.Comparer(func(a, b metav1.Time) bool { return a.Equal(&b) }),
		cmp.Comparer(func(a, b metav1.MicroTime) bool { return a.Equal(&b) }))...)
}
