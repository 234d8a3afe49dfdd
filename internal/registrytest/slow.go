package registrytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
)

// slow computes answers the long way: with a struct at every step, and without any code of
// registry, serializer or wire.
type slow struct {
	scheme          *runtime.Scheme
	storage, served *runtime.Kind
}

func (s slow) in(served *runtime.Kind) *slow {
	s.served = served
	return &s
}

// typed makes the object of the served version, as JSON has it at the revision of o.
func (s *slow) typed(t *testing.T, o written) runtime.Object {
	t.Helper()
	obj, kind := s.decode(t, o.value)
	kind.Default(obj)
	if kind != s.storage {
		obj = s.convert(t, obj, kind, s.storage)
		s.storage.Default(obj)
	}
	// The storage knows protobuf only, which can't tell an empty list from none.
	//lint:ignore SA1019 it is never stored
	runtime.Meta(obj).SelfLink = ""
	settle(t, runtime.Meta(obj))
	stored := s.storage.New()
	unmarshal(t, marshal(t, obj, nil), stored)
	obj = s.convert(t, stored, s.storage, s.served)
	runtime.Meta(obj).ResourceVersion = fmt.Sprint(o.revision)
	return obj
}

// settle makes the sets of fields what encoding/json has of them: canonical values have them so.
func settle(t *testing.T, meta *metav1.ObjectMeta) {
	t.Helper()
	for _, owner := range meta.ManagedFields {
		if owner.FieldsV1 != nil && len(owner.FieldsV1.GetRawBytes()) > 0 {
			text, err := json.Marshal(owner.FieldsV1)
			if err != nil {
				t.Fatal(err)
			}
			owner.FieldsV1.SetRawBytes(text)
		}
	}
}

func (s *slow) decode(t *testing.T, value []byte) (runtime.Object, *runtime.Kind) {
	t.Helper()
	var typeMeta metav1.TypeMeta
	raw, isProtobuf := bytes.CutPrefix(value, []byte("k8s\x00"))
	var unknown apiruntime.Unknown
	if isProtobuf {
		if err := unknown.Unmarshal(raw); err != nil {
			t.Fatal(err)
		}
		typeMeta = metav1.TypeMeta{APIVersion: unknown.APIVersion, Kind: unknown.Kind}
	} else if err := json.Unmarshal(value, &typeMeta); err != nil {
		t.Fatal(err)
	}
	kind, err := s.scheme.Kind(schema.FromAPIVersionAndKind(typeMeta.APIVersion, typeMeta.Kind))
	if err != nil {
		t.Fatal(err)
	}
	obj := kind.New()
	if isProtobuf {
		unmarshal(t, unknown.Raw, obj)
	} else if err := json.Unmarshal(value, obj); err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	return obj, kind
}

func (s *slow) convert(t *testing.T, obj runtime.Object, from, to *runtime.Kind) runtime.Object {
	t.Helper()
	if from == to {
		return obj
	}
	hub, err := from.ToHub(obj)
	if err != nil {
		t.Fatal(err)
	}
	out, err := to.FromHub(hub)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// object is the answer to a get.
func (s *slow) object(t *testing.T, o written, f rest.Representation) []byte {
	t.Helper()
	obj := s.typed(t, o)
	obj.GetObjectKind().SetGroupVersionKind(s.served.GroupVersionKind())
	return encode(t, obj, f)
}

// list is the answer to a list of everything.
func (s *slow) list(t *testing.T, objects []written, f rest.Representation) []byte {
	t.Helper()
	return s.listAt(t, objects, objects[len(objects)-1].revision, f)
}

func (s *slow) listAt(t *testing.T, objects []written, revision int64, f rest.Representation) []byte {
	t.Helper()
	list := s.served.NewList()
	list.GetObjectKind().SetGroupVersionKind(s.served.ListKind())
	list.(metav1.ListMetaAccessor).GetListMeta().SetResourceVersion(fmt.Sprint(revision))
	items := reflect.ValueOf(list).Elem().FieldByName("Items")
	items.Set(reflect.MakeSlice(items.Type(), 0, len(objects)))
	for _, o := range objects {
		obj := s.typed(t, o)
		if !s.served.Protobuf() { // as items of custom resources do
			obj.GetObjectKind().SetGroupVersionKind(s.served.GroupVersionKind())
		}
		items.Set(reflect.Append(items, reflect.ValueOf(obj).Elem()))
	}
	return encode(t, list, f)
}

func encode(t *testing.T, obj apiruntime.Object, f rest.Representation) []byte {
	t.Helper()
	if f.MediaType == rest.Protobuf {
		return envelope(t, obj, nil)
	}
	marshalJSON := json.Marshal
	if f.Pretty {
		marshalJSON = func(v any) ([]byte, error) { return json.MarshalIndent(v, "", "  ") }
	}
	data, err := marshalJSON(obj)
	if err == nil && f.MediaType == rest.YAML {
		data, err = yaml.JSONToYAML(data)
	} else {
		data = append(data, '\n')
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// envelope is obj as Kubernetes' own types encode it, with extra bytes at the end of its message.
func envelope(t *testing.T, obj apiruntime.Object, extra []byte) []byte {
	t.Helper()
	gvk := obj.GetObjectKind().GroupVersionKind()
	unknown := apiruntime.Unknown{
		TypeMeta: apiruntime.TypeMeta{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind},
		Raw:      marshal(t, obj, extra),
	}
	data, err := unknown.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return append([]byte("k8s\x00"), data...)
}

func marshal(t *testing.T, obj apiruntime.Object, extra []byte) []byte {
	t.Helper()
	m := obj.(runtime.Protobuf)
	data := make([]byte, m.Size())
	if n, err := m.MarshalToSizedBuffer(data); err != nil || n != len(data) {
		t.Fatalf("marshal: %d of %d bytes, %v", n, len(data), err)
	}
	return append(data, extra...)
}

func unmarshal(t *testing.T, data []byte, obj runtime.Object) {
	t.Helper()
	m := obj.(runtime.Protobuf)
	m.Reset()
	if err := m.Unmarshal(data); err != nil {
		t.Fatal(err)
	}
}
