package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/examples/library/api"
	"github.com/typeplane/typeplane/internal/registrytest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// TestLossless changes each field of each older version, and looks for what else is different
// afterwards.
func TestLossless(t *testing.T) {
	runtimetest.RunLossless(t, scheme(t), runtimetest.Options{})
}

// TestCanonical stores objects as older servers may have written them. It compares what is served
// with a slow way to compute it, for each way in which this server can store them.
func TestCanonical(t *testing.T) {
	for _, resource := range newServer().Resources {
		for name, options := range map[string]registry.Options{
			"protobuf": {},
			"json":     {StorageMediaType: rest.JSON},
		} {
			t.Run(resource.GroupResource().Resource+"/"+name, func(t *testing.T) {
				registrytest.RunCanonical(t, registrytest.Config{Scheme: scheme(t), Resource: resource, Options: options})
			})
		}
	}
	books := newServer().Resources[0]
	t.Run("books/v1alpha1", func(t *testing.T) {
		registrytest.RunCanonical(t, registrytest.Config{Scheme: scheme(t), Resource: books, Options: registry.Options{
			StorageVersion: schema.GroupVersion{Group: "library.example.com", Version: "v1alpha1"},
		}})
	})
}

func scheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	newServer().AddToScheme(b)
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each version publishes schemas of all its kinds and lists, and no reference in them leads out of
// the document.
func TestOpenAPI(t *testing.T) {
	const group = "library.example.com"
	published := newServer().OpenAPI
	for _, gv := range scheme(t).VersionsOf(group) {
		text := published[gv]
		var models map[string]struct {
			Kinds []schema.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
		}
		if err := json.Unmarshal([]byte(text), &models); err != nil {
			t.Fatalf("%s: %v", gv, err)
		}
		for _, ref := range regexp.MustCompile(`"\$ref": "([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if _, ok := models[strings.TrimPrefix(ref[1], "#/components/schemas/")]; !ok {
				t.Errorf("%s: %s is not there", gv, ref[1])
			}
		}
		for _, kind := range scheme(t).KindsOf(gv) {
			for _, gvk := range []schema.GroupVersionKind{kind.GroupVersionKind(), kind.ListKind()} {
				model := models["com.example.library."+gvk.Version+"."+gvk.Kind]
				if diff := cmp.Diff([]schema.GroupVersionKind{gvk}, model.Kinds); diff != "" {
					t.Errorf("%s: kinds of its model (-want +got):\n%s", gvk, diff)
				}
			}
		}
	}
	if len(published) != 2 {
		t.Errorf("%d versions are published, want 2", len(published))
	}
}

// Every kind in every version has a sample without a mistake, which the strategy accepts.
func TestSamples(t *testing.T) {
	s := scheme(t)
	files, err := filepath.Glob("samples/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[schema.GroupVersionKind]bool{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := serializer.Decode(s, data, serializer.YAML, schema.GroupVersionKind{})
		if err != nil || len(decoded.Strict) > 0 {
			t.Errorf("%s: %v %v", file, err, decoded.Strict)
			continue
		}
		seen[decoded.GroupVersionKind] = true
		obj := decoded.Object
		s.Default(obj)
		hub, err := s.ToHub(obj)
		if err != nil {
			t.Fatal(err)
		}
		if book, ok := hub.(*api.Book); ok {
			for _, err := range new(BookStrategy).Validate(context.Background(), book) {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	for _, gv := range s.VersionsOf("library.example.com") {
		for _, kind := range s.KindsOf(gv) {
			if !seen[kind.GroupVersionKind()] {
				t.Errorf("%s has no sample", kind.GroupVersionKind())
			}
		}
	}
}

// What one version writes, the other reads: the authors of v1 are one line in v1alpha1, and the
// other way round.
func TestAuthorsInBothVersions(t *testing.T) {
	s := scheme(t)
	v1alpha1 := schema.GroupVersionKind{Group: "library.example.com", Version: "v1alpha1", Kind: "Book"}
	for line, list := range map[string][]string{
		"":                       nil,
		"Donovan":                {"Donovan"},
		"Kernighan, B.; Ritchie": {"Kernighan, B.", "Ritchie"},
	} {
		old, err := s.FromHub(&api.Book{Spec: api.BookSpec{Authors: list}}, v1alpha1)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := json.Marshal(old)
		if want, _ := json.Marshal(line); line != "" && !strings.Contains(string(data), `"author":`+string(want)) {
			t.Errorf("%q in v1alpha1: %s", list, data)
		}
		hub, err := s.ToHub(old)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(list, hub.(*api.Book).Spec.Authors); diff != "" {
			t.Errorf("%q and back (-want +got):\n%s", list, diff)
		}
	}
}

func TestBookStrategy(t *testing.T) {
	negative, three := int32(-1), int32(3)
	book := &api.Book{
		Spec:   api.BookSpec{Authors: []string{"A", "B; C", ""}, Copies: &negative},
		Status: api.BookStatus{Available: 7},
	}
	var got []string
	for _, err := range new(BookStrategy).Validate(context.Background(), book) {
		got = append(got, err.Field)
	}
	if diff := cmp.Diff([]string{"spec.authors[1]", "spec.authors[2]"}, got); diff != "" {
		t.Errorf("fields with errors (-want +got):\n%s", diff)
	}
	book.Spec.Copies = &three
	new(BookStrategy).PrepareForCreate(context.Background(), book)
	if diff := cmp.Diff(api.BookStatus{Available: 3}, book.Status); diff != "" {
		t.Errorf("status of a new book (-want +got):\n%s", diff)
	}
}
