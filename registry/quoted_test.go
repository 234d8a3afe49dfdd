package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/wire"
	"github.com/typeplane/typeplane/storage/memory"
)

// folder writes a slash behind its name, which it does not need to read it.
type folder string

func (f folder) MarshalJSON() ([]byte, error) { return json.Marshal(string(f) + "/") }

func (f *folder) UnmarshalJSON(text []byte) error {
	var s string
	err := json.Unmarshal(text, &s)
	*f = folder(strings.TrimSuffix(s, "/"))
	return err
}

// degrees has its methods on the pointer, and reads numbers and text.
type degrees struct{ tenths int64 }

func (d *degrees) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%d", d.tenths/10, d.tenths%10), nil
}

func (d *degrees) UnmarshalJSON(text []byte) error {
	var n float64
	err := json.Unmarshal([]byte(strings.Trim(string(text), `"`)), &n)
	d.tenths = int64(n * 10)
	return err
}

type cabinetSpec struct {
	Dir      folder             `json:"dir,omitempty"`
	Ref      *folder            `json:"ref,omitempty"`
	Dirs     []folder           `json:"dirs,omitempty"`
	ByName   map[string]*folder `json:"byName,omitempty"`
	Nested   []cabinetSpec      `json:"nested,omitempty"`
	Address  *netip.Addr        `json:"address,omitempty"`
	Degrees  *degrees           `json:"degrees,omitempty"`
	Quantity resource.Quantity  `json:"quantity,omitzero"`
	Every    *metav1.Duration   `json:"every,omitempty"`
	Port     intstr.IntOrString `json:"port,omitzero"`
}

type cabinet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              cabinetSpec `json:"spec"`
}

type cabinetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []cabinet `json:"items"`
}

func (c *cabinet) DeepCopyObject() apiruntime.Object     { return copied(c) }
func (c *cabinetList) DeepCopyObject() apiruntime.Object { return copied(c) }

// protobufCabinet is a cabinet with protobuf.
type protobufCabinet struct{ cabinet }

type protobufCabinetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []protobufCabinet `json:"items"`
}

func (c *protobufCabinet) DeepCopyObject() apiruntime.Object     { return copied(c) }
func (c *protobufCabinetList) DeepCopyObject() apiruntime.Object { return copied(c) }

func (c *protobufCabinet) encode() []byte {
	meta, _ := c.ObjectMeta.Marshal()
	spec, _ := json.Marshal(c.Spec)
	return wire.AppendBytesField(wire.AppendBytesField(nil, 1, meta), 2, spec)
}

func (c *protobufCabinet) Size() int { return len(c.encode()) }

func (c *protobufCabinet) MarshalToSizedBuffer(data []byte) (int, error) {
	text := c.encode()
	return copy(data[len(data)-len(text):], text), nil
}

func (c *protobufCabinet) Reset() { *c = protobufCabinet{} }

func (c *protobufCabinet) Unmarshal(data []byte) (err error) {
	wire.EachField(data, func(number int32, body []byte) bool {
		if number == 1 {
			err = c.ObjectMeta.Unmarshal(body)
		} else {
			err = json.Unmarshal(body, &c.Spec)
		}
		return err == nil
	})
	return err
}

// refuseSpec finds everything wrong.
func refuseSpec(path *field.Path, spec *cabinetSpec) (errs field.ErrorList) {
	bad := func(value any, path *field.Path) { errs = append(errs, field.Invalid(path, value, "bad")) }
	if spec.Dir != "" {
		bad(spec.Dir, path.Child("dir"))
	}
	if spec.Ref != nil {
		bad(spec.Ref, path.Child("ref"))
	}
	for i, dir := range spec.Dirs {
		bad(&dir, path.Child("dirs").Index(i))
	}
	for name, dir := range spec.ByName {
		bad(*dir, path.Child("byName").Key(name))
	}
	if spec.Address != nil {
		bad(*spec.Address, path.Child("address"))
	}
	if spec.Degrees != nil {
		bad(*spec.Degrees, path.Child("degrees"))
	}
	if !spec.Quantity.IsZero() {
		bad(spec.Quantity, path.Child("quantity"))
	}
	if spec.Every != nil {
		bad(spec.Every, path.Child("every"))
	}
	if spec.Port != (intstr.IntOrString{}) {
		bad(spec.Port, path.Child("port"))
	}
	for i := range spec.Nested {
		errs = append(errs, refuseSpec(path.Child("nested").Index(i), &spec.Nested[i])...)
	}
	return errs
}

// serveCabinets serves one version of a kind, which is its hub.
func serveCabinets[T runtime.Object, L apiruntime.Object](t *testing.T, new func() T, newList func() L, strategy registry.Strategy[T], spec func(T) *cabinetSpec) rest.Resource {
	t.Helper()
	gv, b := schema.GroupVersion{Group: gadgets.Group, Version: "v1"}, runtime.NewBuilder()
	kind := schema.GroupKind{Group: gadgets.Group, Kind: "Cabinet"}
	runtime.AddVersion(runtime.AddHub(b, kind, new), runtime.Version[T, T]{
		GroupVersion: gv, New: new, NewList: func() apiruntime.Object { return newList() },
		Validate: func(_ context.Context, _ operation.Operation, _ *field.Path, obj, _ T) field.ErrorList {
			return refuseSpec(field.NewPath("spec"), spec(obj))
		},
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	resource := registry.Define(registry.Definition[T]{
		GroupKind: kind, Plural: "cabinets", Namespaced: true, StorageVersion: gv, Versions: []schema.GroupVersion{gv}, Strategy: strategy,
	})
	form, err := resource.Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	served, err := resource.Serve(scheme, memory.New(memory.Config{Database: memory.NewDatabase(), Root: "/registry", Form: form}), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return served[0]
}

// An error quotes a value of a type with its own JSON as the client sent it, and those of
// apimachinery as Kubernetes does. What the strategy made of a value is quoted as it is then.
func TestValuesAreQuotedAsSent(t *testing.T) {
	for _, tc := range []struct {
		spec, prepared, path, quoted string
	}{
		{spec: `{"dir":"a"}`, path: "spec.dir", quoted: `"a"`},
		{spec: `{"dir":"a/"}`, path: "spec.dir", quoted: `"a/"`},
		{spec: `{"dir":"a<b"}`, path: "spec.dir", quoted: `"a<b"`},
		{spec: `{"dir":"a"}`, prepared: "b", path: "spec.dir", quoted: `"b/"`},
		{spec: `{"ref":"a"}`, path: "spec.ref", quoted: `"a"`},
		{spec: `{"ref":""}`, path: "spec.ref", quoted: `""`},
		{spec: `{"dirs":["a"]}`, path: "spec.dirs[0]", quoted: `"a"`},
		{spec: `{"byName":{"x.y]z":"a"}}`, path: "spec.byName[x.y]z]", quoted: `"a/"`}, // not a path that can be read
		{spec: `{"byName":{"x.y":"a"}}`, path: "spec.byName[x.y]", quoted: `"a"`},
		{spec: `{"nested":[{"nested":[{"dir":"a"}]}]}`, path: "spec.nested[0].nested[0].dir", quoted: `"a"`},
		{spec: `{"address":"2001:DB8::1"}`, path: "spec.address", quoted: `"2001:DB8::1"`},
		{spec: `{"degrees":20}`, path: "spec.degrees", quoted: `20`},
		{spec: `{"degrees":"20.50"}`, path: "spec.degrees", quoted: `"20.50"`},
		{spec: `{"quantity":"1000m"}`, path: "spec.quantity", quoted: `"1"`},
		{spec: `{"every":"60s"}`, path: "spec.every", quoted: `"1m0s"`},
		{spec: `{"port":"http"}`, path: "spec.port", quoted: `"http"`},
	} {
		documents := serveCabinets(t, func() *cabinet { return new(cabinet) }, func() *cabinetList { return new(cabinetList) }, registry.Strategy[*cabinet]{
			PrepareForCreate: func(_ context.Context, c *cabinet) {
				if tc.prepared != "" {
					c.Spec.Dir = folder(tc.prepared)
				}
			},
		}, func(c *cabinet) *cabinetSpec { return &c.Spec })
		messages := serveCabinets(t, func() *protobufCabinet { return new(protobufCabinet) }, func() *protobufCabinetList { return new(protobufCabinetList) }, registry.Strategy[*protobufCabinet]{
			PrepareForCreate: func(_ context.Context, c *protobufCabinet) {
				if tc.prepared != "" {
					c.Spec.Dir = folder(tc.prepared)
				}
			},
		}, func(c *protobufCabinet) *cabinetSpec { return &c.Spec })
		for name, r := range map[string]struct {
			rest.Resource
			empty runtime.Object
		}{"document": {documents, new(cabinet)}, "protobuf": {messages, new(protobufCabinet)}} {
			want := tc.path + ": Invalid value: " + tc.quoted + ": bad"
			_, err := r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, gadgetOf(t, r.empty, tc.spec), metav1.CreateOptions{})
			if err == nil {
				t.Fatalf("%s of a %s is accepted", tc.spec, name)
			}
			wantCauses(t, err, want)
			if tc.prepared != "" {
				continue
			}
			fresh := gadgetOf(t, reflect.New(reflect.TypeOf(r.empty).Elem()).Interface().(runtime.Object), `{}`)
			if _, err := r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, fresh, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			_, _, err = r.Patch.Patch(ctx, new(rest.Request), named, rest.Patch{Type: types.MergePatchType, Bytes: []byte(`{"spec":` + tc.spec + `}`)}, metav1.PatchOptions{})
			wantCauses(t, err, want)
		}
	}
}
