package wire_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/runtime/wire"
)

const apiVersion, kind = "library.example.com/v1", "Book"

// randomMeta is metadata as servers see it: any string anywhere.
func randomMeta(seed int64) metav1.ObjectMeta {
	var meta metav1.ObjectMeta
	randfill.NewWithSeed(seed).NilChance(.3).NumElements(0, 4).Funcs(
		func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawString(`{"f:` + c.String(9) + `":{}}`) },
	).Fill(&meta)
	return meta
}

// object is a message like that of any kind: metadata, and something else behind it.
func object(t testing.TB, meta metav1.ObjectMeta, spec string) []byte {
	t.Helper()
	m, err := meta.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	raw := protowire.AppendBytes([]byte{0x0a}, m)
	return protowire.AppendString(append(raw, 0x12), spec)
}

// envelope is what Kubernetes itself makes of a message.
func envelope(t testing.TB, apiVersion, kind string, raw []byte) []byte {
	t.Helper()
	unknown := apiruntime.Unknown{TypeMeta: apiruntime.TypeMeta{APIVersion: apiVersion, Kind: kind}, Raw: raw}
	data, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("k8s\x00"), data...)
}

func TestEnvelopeIsThatOfKubernetes(t *testing.T) {
	for _, size := range []int{0, 1, 127, 128, 16384, 3 << 20} {
		raw := bytes.Repeat([]byte{7}, size)
		want := envelope(t, apiVersion, kind, raw)
		if got := wire.AppendEnvelope(nil, apiVersion, kind, raw); !bytes.Equal(got, want) {
			t.Errorf("an object of %d bytes: the envelope differs", size)
		}
		if got := wire.EnvelopeSize(apiVersion, kind, size); got != len(want) {
			t.Errorf("EnvelopeSize(%d) = %d, want %d", size, got, len(want))
		}
		e, err := wire.ParseEnvelope(want)
		if err != nil || string(e.APIVersion) != apiVersion || string(e.Kind) != kind || !bytes.Equal(e.Raw, raw) {
			t.Errorf("an object of %d bytes: parsed as %s %s with %d bytes, %v", size, e.APIVersion, e.Kind, len(e.Raw), err)
		}
	}
}

func TestParseEnvelopeRefuses(t *testing.T) {
	good := envelope(t, apiVersion, kind, []byte("x"))
	for name, data := range map[string][]byte{
		"nothing":        {},
		"JSON":           []byte(`{"kind":"Book"}`),
		"half a magic":   good[:3],
		"cut":            good[:len(good)-5],
		"number for raw": append([]byte("k8s\x00"), 0x10, 0x01),
		"a group":        append([]byte("k8s\x00"), 0x13, 0x14),
		"long length":    append([]byte("k8s\x00"), 0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f),
	} {
		if _, err := wire.ParseEnvelope(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// checkRevision compares AppendWithRevision with decode, set, encode.
func checkRevision(t *testing.T, meta metav1.ObjectMeta, spec string, revision int64) {
	t.Helper()
	value := envelope(t, apiVersion, kind, object(t, meta, spec))
	before := bytes.Clone(value)

	got, err := wire.AppendWithRevision([]byte("kept"), value, revision)
	if err != nil {
		t.Fatalf("%v\nof %x", err, value)
	}
	meta.ResourceVersion = ""
	if revision != 0 {
		meta.ResourceVersion = fmt.Sprint(revision)
	}
	raw := object(t, meta, spec)
	if want := "kept" + string(envelope(t, apiVersion, kind, raw)); string(got) != want {
		t.Fatalf("revision %d put into the bytes:\n%x\ndecoded, set and encoded:\n%x", revision, got, want)
	}

	size, err := wire.ItemSize(value, revision)
	if err != nil {
		t.Fatal(err)
	}
	item, err := wire.AppendItem(nil, value, revision)
	if err != nil {
		t.Fatal(err)
	}
	if want := wire.AppendRawItem(nil, raw); !bytes.Equal(item, want) || size != len(want) || size != wire.RawItemSize(len(raw)) {
		t.Fatalf("as an item:\n%x (ItemSize %d)\nwant\n%x", item, size, want)
	}
	checkPartial(t, meta, value, revision)
	if !bytes.Equal(value, before) {
		t.Fatal("the value was modified")
	}
}

func TestAppendWithRevision(t *testing.T) {
	for seed := range int64(500) {
		meta := randomMeta(seed)
		if seed%3 == 0 {
			meta.ResourceVersion = "" // as stored
		}
		for _, revision := range []int64{0, 1, 12345, 1<<63 - 1} {
			checkRevision(t, meta, "spec", revision)
		}
	}
	// The lengths of ObjectMeta and of the message grow by a byte at these sizes.
	for _, n := range []int{60, 100, 110, 115, 120, 127, 16200, 16300, 16383} {
		for d := range 30 {
			checkRevision(t, metav1.ObjectMeta{Name: strings.Repeat("n", n+d-15)}, "", 1234567890)
			checkRevision(t, metav1.ObjectMeta{}, strings.Repeat("s", n+d-15), 1234567890)
		}
	}
}

func FuzzAppendWithRevision(f *testing.F) {
	f.Add(int64(1), "spec", int64(7))
	f.Fuzz(func(t *testing.T, seed int64, spec string, revision int64) {
		checkRevision(t, randomMeta(seed), spec, max(revision, 0))
	})
}

// FuzzBytes feeds anything to everything: nothing may panic, and what can be read twice must be the
// same.
func FuzzBytes(f *testing.F) {
	meta := randomMeta(3)
	f.Add(envelope(f, apiVersion, kind, object(f, meta, "spec")))
	f.Add([]byte("k8s\x00\x0a\x00\x12\x02\x0a\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := wire.ParseEnvelope(data)
		if err == nil {
			again, err := wire.ParseEnvelope(wire.AppendEnvelope(nil, string(e.APIVersion), string(e.Kind), e.Raw))
			if err != nil || !bytes.Equal(again.Raw, e.Raw) || !bytes.Equal(again.Kind, e.Kind) {
				t.Fatalf("parsed again: %v", err)
			}
			wire.EqualExcept(e.Raw, data, 1, 3)
			wire.FirstDifference(e.Raw, data)
		}
		wire.AppendWithRevision(nil, data, 42)
		wire.ItemSize(data, 42)
		for _, read := range []func([]byte) (wire.Meta, error){wire.ReadMeta, wire.ReadRawMeta} {
			m, err := read(data)
			if err != nil {
				continue
			}
			m.Label("x")
			for range m.Labels() {
			}
			for range m.Annotations() {
			}
			for range m.Finalizers() {
			}
			for range m.OwnerReferences() {
			}
		}
	})
}

func TestReadMeta(t *testing.T) {
	for seed := range int64(300) {
		want := randomMeta(seed)
		got, err := wire.ReadMeta(envelope(t, apiVersion, kind, object(t, want, "spec")))
		if err != nil {
			t.Fatal(err)
		}
		check := func(what string, got, want any) {
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("seed %d: %s (-want +got)\n%s", seed, what, diff)
			}
		}
		check("name", got.Name, want.Name)
		check("generateName", got.GenerateName, want.GenerateName)
		check("namespace", got.Namespace, want.Namespace)
		check("uid", got.UID, string(want.UID))
		check("resourceVersion", got.ResourceVersion, want.ResourceVersion)
		check("generation", got.Generation, want.Generation)
		if !want.CreationTimestamp.IsZero() {
			check("creationTimestamp", got.CreationSeconds, want.CreationTimestamp.Unix())
		}
		check("deleting", got.Deleting, want.DeletionTimestamp != nil)
		if want.DeletionTimestamp != nil {
			check("deletionTimestamp", got.DeletionSeconds, want.DeletionTimestamp.Unix())
		}
		check("labels", maps.Collect(got.Labels()), mapOrEmpty(want.Labels))
		check("annotations", maps.Collect(got.Annotations()), mapOrEmpty(want.Annotations))
		check("finalizers", slices.Collect(got.Finalizers()), nilIfEmpty(want.Finalizers))
		check("has finalizers", got.HasFinalizers(), len(want.Finalizers) > 0)
		for k, v := range want.Labels {
			value, ok := got.Label(k)
			check("label", []any{value, ok}, []any{v, true})
		}
		if _, ok := got.Label("no such label"); ok {
			t.Error("a label that is not there")
		}
		var owners []wire.OwnerReference
		for _, o := range want.OwnerReferences {
			owners = append(owners, wire.OwnerReference{
				APIVersion: o.APIVersion, Kind: o.Kind, Name: o.Name, UID: string(o.UID),
				Controller: o.Controller != nil && *o.Controller, BlockOwnerDeletion: o.BlockOwnerDeletion != nil && *o.BlockOwnerDeletion,
			})
		}
		check("owners", slices.Collect(got.OwnerReferences()), owners)
	}
}

func mapOrEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}

func nilIfEmpty(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	return s
}

func TestReadMetaRefusesHalfOfIt(t *testing.T) {
	raw := object(t, metav1.ObjectMeta{Name: "a"}, "")
	for name, data := range map[string][]byte{
		"no metadata":    {0x12, 0x00},
		"twice":          append(append([]byte{}, 0x0a, 0x00), raw...),
		"cut":            raw[:5],
		"number as name": {0x0a, 0x02, 0x08, 0x01},
	} {
		if _, err := wire.ReadRawMeta(data); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestReadingAllocatesNothing(t *testing.T) {
	value := envelope(t, apiVersion, kind, object(t, randomMeta(5), "spec"))
	buf := make([]byte, 0, len(value)+100)
	if n := testing.AllocsPerRun(100, func() {
		m, _ := wire.ReadMeta(value)
		m.Label("x")
		m.HasFinalizers()
		wire.ItemSize(value, 12345)
		wire.AppendPartialItem(buf, value, 12345)
		wire.AppendWithRevision(buf, value, 12345)
		wire.AppendItem(buf, value, 12345)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestEqualExcept(t *testing.T) {
	field := func(num byte, s string) []byte { return protowire.AppendString([]byte{num<<3 | 2}, s) }
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	for _, tc := range []struct {
		name string
		a, b []byte
		want bool
	}{
		{"the same", join(field(1, "m"), field(2, "s")), join(field(1, "m"), field(2, "s")), true},
		{"other metadata and status", join(field(1, "m"), field(2, "s"), field(3, "x")), join(field(1, "n"), field(2, "s"), field(3, "yy")), true},
		{"a status more", join(field(2, "s"), field(3, "x")), join(field(2, "s")), true},
		{"other spec", join(field(1, "m"), field(2, "s")), join(field(1, "m"), field(2, "t")), false},
		{"a spec more", join(field(1, "m"), field(2, "s")), join(field(1, "m")), false},
		{"a field more behind the status", join(field(3, "s"), field(4, "t")), join(field(3, "s")), false},
	} {
		if got, err := wire.EqualExcept(tc.a, tc.b, 1, 3); got != tc.want || err != nil {
			t.Errorf("%s: %v, %v", tc.name, got, err)
		}
	}
}

func benchmarkValue(b *testing.B, size int) []byte {
	meta := metav1.ObjectMeta{
		Name: "book-1", Namespace: "default", UID: "f2f3c7a5-6a5f-4b86-9d2d-7f6d3c6d9c10", Generation: 3, CreationTimestamp: metav1.Now(),
		Labels: map[string]string{"app": "library", "tier": "backend"},
	}
	return envelope(b, apiVersion, kind, object(b, meta, strings.Repeat("s", size)))
}

func BenchmarkAppendWithRevision(b *testing.B) {
	for _, size := range []int{200, 3600} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			value := benchmarkValue(b, size)
			buf := make([]byte, 0, 2*len(value))
			b.ReportAllocs()
			for b.Loop() {
				wire.AppendWithRevision(buf, value, 1234567)
			}
		})
	}
}

func BenchmarkItemSize(b *testing.B) {
	value := benchmarkValue(b, 3600)
	for b.Loop() {
		wire.ItemSize(value, 1234567)
	}
}

func BenchmarkReadMeta(b *testing.B) {
	value := benchmarkValue(b, 3600)
	b.ReportAllocs()
	for b.Loop() {
		wire.ReadMeta(value)
	}
}

func TestAppendWithRevisionRefuses(t *testing.T) {
	good := object(t, metav1.ObjectMeta{Name: "a"}, "spec")
	longer := bytes.Clone(good)
	longer[bytes.Index(longer, []byte{0x32, 0x00})+1] = 0x7f // a resourceVersion that is longer than the metadata
	for name, raw := range map[string][]byte{
		"no metadata":                {0x12, 0x00},
		"nothing":                    {},
		"metadata without a version": {0x0a, 0x03, 0x0a, 0x01, 'x'},
		"metadata behind the spec":   append([]byte{0x12, 0x00}, good...),
		"cut metadata":               {0x0a, 0x7f, 0x0a},
		"a version that is too long": longer,
		"a version that ends later":  append([]byte{0x0a, 0x02, 0x32, 0x05}, "12345678"...),
	} {
		value := envelope(t, apiVersion, kind, raw)
		if got, err := wire.AppendWithRevision([]byte("kept"), value, 5); err == nil || string(got) != "kept" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if _, err := wire.AppendItem(nil, value, 5); err == nil {
			t.Errorf("%s: an item", name)
		}
		if _, err := wire.ItemSize(value, 5); err == nil {
			t.Errorf("%s: the size of an item", name)
		}
		if got, err := wire.AppendPartial([]byte("kept"), "v1", "Book", value, 5); err == nil || string(got) != "kept" {
			t.Errorf("%s: the metadata alone: %q, %v", name, got, err)
		}
		if _, err := wire.AppendPartialItem(nil, value, 5); err == nil {
			t.Errorf("%s: the metadata as an item", name)
		}
		if _, err := wire.PartialItemSize(value, 5); err == nil {
			t.Errorf("%s: the size of the metadata as an item", name)
		}
		if _, err := wire.ObjectMeta(value); err == nil {
			t.Errorf("%s: ObjectMeta", name)
		}
	}
	// An envelope that somebody else wrote is put into the usual form.
	foreign := append([]byte("k8s\x00"), 0x12, byte(len(good)))
	foreign = append(foreign, good...)
	got, err := wire.AppendWithRevision(nil, foreign, 5)
	if want := envelope(t, "", "", object(t, metav1.ObjectMeta{Name: "a", ResourceVersion: "5"}, "spec")); err != nil || !bytes.Equal(got, want) {
		t.Errorf("a foreign envelope: %q, %v", got, err)
	}
}

func TestAppendWithout(t *testing.T) {
	raw := []byte{1<<3 | 2, 1, 'a', 2<<3 | 2, 2, 'b', 'b', 3 << 3, 7, 2<<3 | 2, 0}
	got, err := wire.AppendWithout([]byte("before"), wire.AppendEnvelope(nil, "g/v1", "Kind", raw), 2, 9)
	if want := wire.AppendEnvelope([]byte("before"), "g/v1", "Kind", []byte{1<<3 | 2, 1, 'a', 3 << 3, 7}); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}
	if _, err := wire.AppendWithout(nil, wire.AppendEnvelope(nil, "g/v1", "Kind", []byte{1<<3 | 2, 9}), 2); err == nil {
		t.Error("half a field is none")
	}
}
