package registry_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/registrytest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/wire"
)

// define returns the test resource with a strategy.
func define(strategy registry.Strategy[*widget.Widget]) registry.Resource {
	return registry.Define(definition(strategy))
}

func definition(strategy registry.Strategy[*widget.Widget]) registry.Definition[*widget.Widget] {
	return registry.Definition[*widget.Widget]{
		GroupKind:      widget.GroupKind,
		Plural:         "widgets",
		Namespaced:     true,
		StorageVersion: widget.GV1,
		Versions:       []schema.GroupVersion{widget.GV1, widget.GV1beta1, widget.GVOld},
		Strategy:       strategy,
	}
}

func TestWhatIsServedIsWhatIsStored(t *testing.T) {
	for seed, options := range []registry.Options{
		{},
		{StorageVersion: widget.GV1beta1},
		{StorageMediaType: rest.JSON},
	} {
		t.Run(fmt.Sprintf("%v", options), func(t *testing.T) {
			registrytest.RunCanonical(t, registrytest.Config{
				Scheme:   widget.Scheme(),
				Resource: define(registry.Strategy[*widget.Widget]{}),
				Options:  options,
				Seed:     int64(seed),
			})
		})
	}
}

// TestValuesOfOtherServers: a database that Kubernetes' servers have written may hold YAML, and
// values in base64. They are read, and a write makes them what is stored here.
func TestValuesOfOtherServers(t *testing.T) {
	const (
		inJSON = `{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"w","namespace":"ns"},"spec":{"color":"red"}}`
		inYAML = "apiVersion: shop.example.com/v1\nkind: Widget\nmetadata:\n  name: w\n  namespace: ns\nspec:\n  color: red\n"
	)
	s := serve(t, strategy{})
	s.Put("/registry/shop.example.com/widgets/ns/w", []byte(inJSON))
	s.update(s.mustGet(named)) // JSON is not what is stored here, so this writes
	inProtobuf := s.raw(named)
	for _, stored := range []string{inJSON, inYAML, inProtobuf} {
		for _, given := range []string{stored, base64.StdEncoding.EncodeToString([]byte(stored))} {
			s.Put("/registry/shop.example.com/widgets/ns/w", []byte(given))
			obj := s.mustGet(named)
			if obj.Spec.Color != "red" {
				t.Errorf("%q is read as %+v", given, obj)
			}
			if _, err := s.update(obj); err != nil {
				t.Errorf("%q: %v", given, err)
			}
			if now := s.raw(named); now != inProtobuf {
				t.Errorf("%q became %q, want %q", given, now, inProtobuf)
			}
		}
	}
	s.Put("/registry/shop.example.com/widgets/ns/w", []byte("\xd9\xd9\xf7\xa0"))
	_, err := s.v1.Get.Get(ctx, named, metav1.GetOptions{})
	if text := status(t, err).Message; !strings.Contains(text, `can't read "application/cbor"`) {
		t.Errorf("CBOR: %s", text)
	}
}

// TestCanonicalKeepsNothing: one value has all fields, the next one hardly any. Neither shows in
// the other, whoever reads them at the same time, and whether or not reading fails in between.
func TestCanonicalKeepsNothing(t *testing.T) {
	form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var values [][]byte
	for _, data := range []string{
		`{"kind":"Widget","apiVersion":"shop.example.com/v1","metadata":{"name":"w","uid":"u","labels":{"a":"b"},"finalizers":["x"],"generation":7},"spec":{"color":"red","replicas":3,"parts":[{"name":"a"},{"name":"b"}]}}`,
		`{"kind":"Widget","apiVersion":"shop.example.com/v1"}`,
		`{"kind":"Widget","apiVersion":"shop.example.com/v1beta1","spec":{"colour":"blue"}}`,
	} {
		value, _, err := form.Canonical("/k", []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, value)
	}
	broken := values[0][:len(values[0])/2]
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 300 {
				want := values[i%len(values)]
				got, stale, err := form.Canonical("/k", want)
				if err != nil || stale || !bytes.Equal(got, want) {
					t.Errorf("%q became %q, stale %v, %v", want, got, stale, err)
				}
				if _, _, err := form.Canonical("/k", broken); err == nil {
					t.Error("half a value was read")
				}
			}
		})
	}
	wg.Wait()
}

// What the verbs write must need no mending: a store takes it as canonical without looking.
func TestWhatIsWrittenIsCanonical(t *testing.T) {
	form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, strategy{})
	check := func(what string) {
		t.Helper()
		value, stale, err := form.Canonical("/k", []byte(s.raw(named)))
		if stale || err != nil || string(value) != s.raw(named) {
			t.Errorf("%s wrote %q, stale %v, %v", what, s.raw(named), stale, err)
		}
	}
	for gv, r := range map[schema.GroupVersion]rest.Resource{widget.GV1: s.v1, widget.GV1beta1: s.beta, widget.GVOld: s.old} {
		obj := parse(t, gv, `{"metadata":{"name":"w","finalizers":["example.com/wait"],"labels":{}}}`)
		if _, err := r.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, obj, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		check("create in " + gv.String())
		if _, err := s.update(parse(t, widget.GV1, `{"metadata":{"name":"w","resourceVersion":"","finalizers":["example.com/wait"]},"spec":{"parts":[{"name":"a"}],"options":{}}}`)); err != nil {
			t.Fatal(err)
		}
		check("update")
		s.mustDelete()
		check("delete")
		if _, err := s.update(parse(t, widget.GV1, `{"metadata":{"name":"w"}}`)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSetsOfFieldsAreSettled: in canonical values the sets of fields are as they stand in JSON,
// however a value was stored. Those that are no JSON are not there. The memory that the database
// keeps does not change.
func TestSetsOfFieldsAreSettled(t *testing.T) {
	const want = `{"f:spec":{"k:{\"name\":\"\u003cé\u003e\"}":{}}}`
	const foreign = "{ \"f:spec\":\n{\"k:{\\\"name\\\":\\\"<é>\\\"}\":{}}}"
	stored := map[string][]byte{}
	for _, gv := range []schema.GroupVersion{widget.GV1, widget.GV1beta1, widget.GVOld} {
		stored["JSON of "+gv.String()] = fmt.Appendf(nil, `{"kind":"Widget","apiVersion":%q,"metadata":{"name":"w","managedFields":[{"manager":"a","fieldsV1":%s},{"manager":"b","fieldsV1":%s}]}}`, gv, foreign, want)
	}
	kind, err := widget.Scheme().Kind(widget.GV1.WithKind("Widget"))
	if err != nil {
		t.Fatal(err)
	}
	obj := kind.New()
	obj.SetName("w")
	obj.SetManagedFields([]metav1.ManagedFieldsEntry{
		{Manager: "a", FieldsV1: metav1.NewFieldsV1(foreign)}, {Manager: "b", FieldsV1: metav1.NewFieldsV1(want)}, {Manager: "c", FieldsV1: metav1.NewFieldsV1(`{"f:a`)},
	})
	message, err := kind.AppendMessage(nil, obj)
	if err != nil {
		t.Fatal(err)
	}
	stored["protobuf"] = wire.AppendEnvelope(nil, widget.GV1.String(), "Widget", message)
	for _, version := range []schema.GroupVersion{widget.GV1, widget.GVOld} { // GVOld has no protobuf, so it stores documents
		form, err := define(strategy{}).Form(widget.Scheme(), registry.Options{StorageVersion: version})
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range stored {
			t.Run(name+" in "+version.String(), func(t *testing.T) {
				before := bytes.Clone(value)
				canonical, _, err := form.Canonical("/k", value)
				if err != nil {
					t.Fatal(err)
				}
				fields, err := wire.ObjectMeta(canonical)
				if err != nil {
					t.Fatal(err)
				}
				var meta metav1.ObjectMeta
				if err := meta.Unmarshal(fields); err != nil {
					t.Fatal(err)
				}
				for i, owner := range meta.ManagedFields {
					switch {
					case i < 2 && (owner.FieldsV1 == nil || owner.FieldsV1.GetRawString() != want):
						t.Errorf("%s has %v, want %s", owner.Manager, owner.FieldsV1, want)
					case i == 2 && owner.FieldsV1 != nil:
						t.Errorf("half a set is kept: %s", owner.FieldsV1.GetRawString())
					}
				}
				if len(meta.ManagedFields) < 2 || !bytes.Equal(value, before) {
					t.Errorf("%d managers; the stored value is now %q", len(meta.ManagedFields), value)
				}
			})
		}
	}
}
