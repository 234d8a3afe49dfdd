package registrytest

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/randfill"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/storage/memory"
)

// write puts object number i into the database as it is, in one of the versions and forms.
func (c Config) write(t *testing.T, db *memory.Database, i int) written {
	t.Helper()
	rnd := rand.New(rand.NewSource(c.Seed<<16 + int64(i)))
	kinds := c.Scheme.KindsOfHub(c.Resource.GroupKind())
	kind := kinds[i%len(kinds)]
	w := written{name: rest.Name{Name: fmt.Sprintf("object-%04d", i)}}
	if c.namespaced {
		// Keys of all namespaces are in the order in which they are written, as the list wants
		// them.
		w.name.Namespace = fmt.Sprintf("namespace-%d", i/10)
	}
	obj := kind.New()
	fill(rnd, obj)
	meta := runtime.Meta(obj)
	meta.Name, meta.Namespace = w.name.Name, w.name.Namespace
	if i%4 == 0 {
		kind.Default(obj)
	}
	gvk := kind.GroupVersionKind()
	obj.GetObjectKind().SetGroupVersionKind(gvk)
	if kind.Protobuf() && rnd.Intn(2) == 0 {
		w.about = fmt.Sprintf("%s stored as protobuf of %s", w.name.Name, gvk.Version)
		w.value = envelope(t, obj, unknownField(rnd))
	} else {
		w.about = fmt.Sprintf("%s stored as JSON of %s", w.name.Name, gvk.Version)
		w.value = looseJSON(t, rnd, obj)
	}
	key := c.Resource.KeyPrefix()
	if c.namespaced {
		key += w.name.Namespace + "/"
	}
	w.revision = db.Put(root+key+w.name.Name, w.value)
	return w
}

// fieldSets are as other servers and clients may have written them.
var fieldSets = []string{`{"f:spec":{}}`, "{ \"f:spec\" : {\n} }", `{"f:spec":{"k:{\"name\":\"<&>\"}":{}}}`, `{"f:spec":{"v:\"é\"":{}}}`, "null"}

// fill makes obj random, often with zero values.
func fill(rnd *rand.Rand, obj any) {
	randfill.New().RandSource(rnd).NilChance(.4).NumElements(0, 3).MaxDepth(12).Funcs(
		func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawString(fieldSets[c.Intn(len(fieldSets))]) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(c.Int63n(1000), resource.DecimalSI)
		},
		func(i *intstr.IntOrString, c randfill.Continue) { *i = intstr.FromInt32(c.Int31n(1000)) },
		func(r *apiruntime.RawExtension, c randfill.Continue) {
			*r = apiruntime.RawExtension{Raw: []byte(`{"a":1}`)}
		},
		func(s *string, c randfill.Continue) {
			if c.Intn(3) > 0 {
				*s = c.String(8)
			}
		},
		func(i *int32, c randfill.Continue) { *i = c.Int31n(4) },
	).Fill(obj)
}

// looseJSON is obj as JSON, with some fields left out that have a default perhaps, and some that
// nobody knows.
func looseJSON(t *testing.T, rnd *rand.Rand, obj runtime.Object) []byte {
	t.Helper()
	data, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(data, &fields); err != nil {
		t.Fatal(err)
	}
	for name, v := range fields {
		if name != "metadata" && name != "kind" && name != "apiVersion" {
			loosen(rnd, v)
		}
	}
	fields["fieldOfYesterday"] = map[string]any{"x": []any{1, "two", nil}}
	data, err = json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func loosen(rnd *rand.Rand, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			if rnd.Intn(5) == 0 {
				delete(v, name)
				continue
			}
			loosen(rnd, field)
		}
	case []any:
		for _, item := range v {
			loosen(rnd, item)
		}
	}
}

// unknownField is a field that no message has.
func unknownField(rnd *rand.Rand) []byte {
	if rnd.Intn(2) == 0 {
		return nil
	}
	return protowire.AppendString(protowire.AppendTag(nil, 12345, protowire.BytesType), "from yesterday")
}
