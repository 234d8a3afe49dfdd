package registry_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// Importers keep what a server fills in, the status, and the document of a kind without protobuf.
// What is there already is not an error, and another object in its place is.
func TestImporters(t *testing.T) {
	def, opts := definition(strategy{}), registry.Options{StorageVersion: widget.GVOld}
	def.Versions = []schema.GroupVersion{widget.GVOld, widget.GV1}
	resource := registry.Define(def)
	form, err := resource.Form(widget.Scheme(), opts)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	importers, err := resource.Importers(widget.Scheme(), memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), opts)
	if err != nil || len(importers) != 2 || !importers[0].Stored || importers[1].Stored {
		t.Fatalf("%v, %+v", err, importers)
	}
	old, v1 := importers[0], importers[1]
	const key = "/registry/shop.example.com/widgets/ns/w"
	const object = `{"metadata":{"name":"w","namespace":"ns","uid":"there","resourceVersion":"7","generation":4,"creationTimestamp":"2020-01-02T03:04:05Z"},"paint":"red","count":0}`
	asHere := func(meta *metav1.ObjectMeta) { meta.UID = "here" }

	if created, err := old.Import(ctx, []byte(object), asHere, true); !created || err != nil {
		t.Errorf("dry run: %v, %v", created, err)
	}
	if stored, _ := db.Get(key); stored != nil {
		t.Errorf("a dry run has written %s", stored)
	}
	for _, want := range []bool{true, false} {
		if created, err := old.Import(ctx, []byte(object), asHere, false); created != want || err != nil {
			t.Errorf("created %v, want %v: %v", created, want, err)
		}
	}
	stored, _ := db.Get(key)
	for _, want := range []string{`"uid":"here"`, `"generation":4`, `"creationTimestamp":"2020-01-02T03:04:05Z"`, `"count":0,"paint":"red"}`} {
		if !strings.Contains(string(stored), want) {
			t.Errorf("stored without %s: %s", want, stored)
		}
	}
	if strings.Contains(string(stored), "resourceVersion") {
		t.Errorf("stored %s", stored)
	}
	if _, err := old.Import(ctx, []byte(object), func(meta *metav1.ObjectMeta) { meta.UID = "another" }, false); !apierrors.IsAlreadyExists(err) {
		t.Errorf("in the place of another object: %v", err)
	}
	long := strings.Repeat("x", 1000)
	if _, err := v1.Import(ctx, []byte(`{"metadata":{"name":"v","namespace":"ns"},"status":{"phase":"`+long+`"}}`), func(*metav1.ObjectMeta) {}, false); !apierrors.IsInvalid(err) || !strings.Contains(err.Error(), "status.phase") {
		t.Errorf("a wrong status: %v", err)
	}
	if _, err := old.Import(ctx, []byte(`{"metadata":7}`), asHere, false); !apierrors.IsBadRequest(err) {
		t.Errorf("no object: %v", err)
	}
}
