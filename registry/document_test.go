package registry_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage/memory"
)

// serveOld serves widgets that are stored in the version without protobuf, and returns that
// version.
func serveOld(t *testing.T, s strategy) (rest.Resource, *memory.Database) {
	t.Helper()
	def, opts := definition(s), registry.Options{StorageVersion: widget.GVOld}
	def.Versions = []schema.GroupVersion{widget.GVOld, widget.GV1}
	resource := registry.Define(def)
	form, err := resource.Form(widget.Scheme(), opts)
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	served, err := resource.Serve(widget.Scheme(), memory.New(memory.Config{Database: db, Root: "/registry", Form: form}), opts)
	if err != nil {
		t.Fatal(err)
	}
	return served[0], db
}

// Who creates an object in the program has sent no document: what is not zero is stored, and behind
// a hub of another type.
func TestDocumentOfAGoValue(t *testing.T) {
	old, db := serveOld(t, strategy{})
	obj := &widget.Old{Paint: "red"}
	obj.Name = "w"
	view, err := old.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, obj, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, view); !strings.HasSuffix(got, `,"paint":"red"}`+"\n") {
		t.Errorf("answer %s", got)
	}
	stored, _ := db.Get("/registry/shop.example.com/widgets/ns/w")
	if got := string(stored); !strings.HasPrefix(got, `{"kind":"Widget","apiVersion":"legacy.example.com/v1alpha1","metadata":{"name":"w",`) || !strings.HasSuffix(got, `,"paint":"red"}`+"\n") {
		t.Errorf("stored %s", got)
	}
}

// Clients may see another document than the stored one, in every form.
func TestDocumentsAreDecorated(t *testing.T) {
	old, db := serveOld(t, strategy{Decorate: func(w *widget.Widget) { w.Spec.Color += "dish" }})
	sent := rest.Document{Body: parse(t, widget.GVOld, `{"metadata":{"name":"w"},"paint":"red","count":0}`), JSON: []byte(`{"paint":"red","count":0}`)}
	view, err := old.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, sent, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, view); !strings.HasSuffix(got, `,"count":0,"paint":"reddish"}`+"\n") {
		t.Errorf("answer %s", got)
	}
	if stored, _ := db.Get("/registry/shop.example.com/widgets/ns/w"); !strings.HasSuffix(string(stored), `,"count":0,"paint":"red"}`+"\n") {
		t.Errorf("stored %s", stored)
	}
	list, err := old.List.List(ctx, "ns", metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, list); !strings.HasSuffix(got, `,"count":0,"paint":"reddish"}]}`+"\n") {
		t.Errorf("list %s", got)
	}
	for _, v := range []rest.View{view, list} {
		var out strings.Builder
		err := v.WriteTo(&out, rest.Representation{MediaType: rest.Protobuf})
		if status(t, err).Code != 406 || out.Len() > 0 {
			t.Errorf("protobuf: %v, %q", err, out.String())
		}
		if err := v.WriteTo(&out, rest.Representation{MediaType: rest.Protobuf, As: rest.AsPartialObjectMetadata}); err != nil || !strings.Contains(out.String(), "PartialObjectMetadata") {
			t.Errorf("metadata in protobuf: %v", err)
		}
		out.Reset()
		if err := v.WriteTo(&out, rest.Representation{MediaType: rest.JSON, Pretty: true}); err != nil || !strings.Contains(out.String(), "\n") || !strings.Contains(out.String(), `"paint": "reddish"`) {
			t.Errorf("indented: %v %s", err, out.String())
		}
		out.Reset()
		if err := v.WriteTo(&out, rest.Representation{MediaType: rest.YAML}); err != nil || !strings.Contains(out.String(), "paint: reddish\n") {
			t.Errorf("YAML: %v %s", err, out.String())
		}
	}
}
