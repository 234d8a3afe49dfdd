package transcode_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"

	apimachineryjson "github.com/typeplane/typeplane/runtime/json/apimachinery"
	apimachineryprotobuf "github.com/typeplane/typeplane/runtime/protobuf/apimachinery"
	"github.com/typeplane/typeplane/runtime/transcode"
)

// TestAppendObjectMeta writes random metadata twice: from its bytes, and from the Go value that is
// decoded of them.
func TestAppendObjectMeta(t *testing.T) {
	for seed := range int64(3000) {
		meta := randomMeta(seed)
		fields, err := meta.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		revision := seed % 3 * 1234567
		got, err := transcode.AppendObjectMeta([]byte("before"), fields, revision)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := decoded(t, fields, revision); string(got) != "before"+want {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got[len("before"):], want)
		}
	}
}

func randomMeta(seed int64) *metav1.ObjectMeta {
	meta := new(metav1.ObjectMeta)
	filler := randfill.NewWithSeed(seed).NilChance(.3).NumElements(0, 4).Funcs(
		func(t *metav1.Time, c randfill.Continue) {
			*t = metav1.Time{}
			if c.Bool() {
				*t = metav1.NewTime(time.Unix(c.Int63n(1<<uint(8+c.Intn(30)))-1000, 0))
			}
		},
		func(f *metav1.FieldsV1, c randfill.Continue) {
			f.SetRawBytes([]byte([]string{`{"f:spec":{"f:\u003ca\u003e":{}}}`, `{"f:a":{}}`, "null", ""}[c.Intn(4)]))
		},
		func(s *string, c randfill.Continue) {
			*s = []string{"", "a", "plain-name", "<&> \"quoted\"\n", "\xff\xfe", "längere Wörter über 32 Bytes hinaus"}[c.Intn(6)] + fmt.Sprint(c.Intn(3))
			if c.Intn(4) == 0 {
				*s = ""
			}
		},
	)
	filler.Fill(meta)
	return meta
}

// decoded is the JSON that the Go value writes.
func decoded(t testing.TB, fields []byte, revision int64) string {
	t.Helper()
	meta := new(metav1.ObjectMeta)
	if err := apimachineryprotobuf.UnmarshalShared_ObjectMeta(fields, meta); err != nil {
		t.Fatal(err)
	}
	meta.ResourceVersion = ""
	if revision != 0 {
		meta.ResourceVersion = fmt.Sprint(revision)
	}
	text, err := apimachineryjson.AppendJSON_ObjectMeta(nil, meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestBrokenObjectMeta cuts messages short and changes bytes of them: that may be an error, and
// never a panic.
func TestBrokenObjectMeta(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for seed := range int64(300) {
		fields, err := randomMeta(seed).Marshal()
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			broken := bytes.Clone(fields[:random.Intn(len(fields))+1])
			broken[random.Intn(len(broken))] = byte(random.Intn(256))
			_, _ = transcode.AppendObjectMeta(nil, broken, 1)
		}
	}
	for name, fields := range map[string]string{
		"cut short":       "\x0a\x05name",
		"unknown field":   "\x82\x06\x00",
		"out of order":    "\x1a\x01n\x0a\x01n",
		"one field twice": "\x0a\x01n\x0a\x01n",
	} {
		if text, err := transcode.AppendObjectMeta(nil, []byte(fields), 1); err == nil {
			t.Errorf("%s: got %s, want an error", name, text)
		}
	}
}

func BenchmarkObjectMeta(b *testing.B) {
	at := metav1.NewTime(time.Unix(1700000000, 0))
	entry := metav1.ManagedFieldsEntry{Manager: "kube-controller-manager", Operation: "Update", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1", FieldsV1: new(metav1.FieldsV1)}
	entry.FieldsV1.SetRawBytes([]byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{},"f:tier":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:name":{}}}}}`))
	meta := &metav1.ObjectMeta{
		Name: "web-5d4f8c7b9-x2x4z", GenerateName: "web-5d4f8c7b9-", Namespace: "default", UID: "8f3e5d0a-3a41-4b5e-9d0e-0c2f7a0b1c2d", CreationTimestamp: at,
		Labels:          map[string]string{"app": "web", "pod-template-hash": "5d4f8c7b9", "tier": "frontend"},
		Annotations:     map[string]string{"example.com/checksum": "0123456789abcdef0123456789abcdef"},
		OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-5d4f8c7b9", UID: "c0ffee00-3a41-4b5e-9d0e-0c2f7a0b1c2d", Controller: new(bool)}},
		ManagedFields:   []metav1.ManagedFieldsEntry{entry, entry},
	}
	fields, err := meta.Marshal()
	if err != nil {
		b.Fatal(err)
	}
	b.Run("bytes", func(b *testing.B) {
		var dst []byte
		for b.Loop() {
			dst, _ = transcode.AppendObjectMeta(dst[:0], fields, 1234567)
		}
		b.SetBytes(int64(len(dst)))
		b.ReportAllocs()
	})
	b.Run("value", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = decoded(b, fields, 1234567)
		}
	})
}
