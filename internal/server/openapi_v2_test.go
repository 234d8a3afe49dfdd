package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	openapi_v2 "github.com/google/gnostic-models/openapiv2"
	"google.golang.org/protobuf/proto"
	"k8s.io/apimachinery/pkg/runtime/schema"

	libraryv1 "github.com/typeplane/typeplane/examples/library/api/v1"
	libraryv1alpha1 "github.com/typeplane/typeplane/examples/library/api/v1alpha1"
	"github.com/typeplane/typeplane/internal/server"
)

// kubectlAccept is what every kubectl sends.
const kubectlAccept = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"

// generated serves what gen made for examples/library.
func generated(t *testing.T) *server.Server {
	t.Helper()
	alpha := books()
	alpha.GroupVersion = gvAlpha
	c := config(t, books(), shelves(), alpha)
	c.OpenAPI = map[schema.GroupVersion]string{gv1: libraryv1.OpenAPISchemas, gvAlpha: libraryv1alpha1.OpenAPISchemas}
	return newServer(t, c)
}

func TestOpenAPIV2(t *testing.T) {
	s := generated(t)
	w := do(s, request{path: "/openapi/v2", header: map[string]string{"Accept": kubectlAccept}})
	if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/com.github.proto-openapi.spec.v2.v1.0+protobuf" || w.Header().Get("Vary") == "" {
		t.Fatalf("got %d %v", w.Code, w.Header())
	}
	var doc openapi_v2.Document
	if err := proto.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Swagger != "2.0" || doc.Info.Title != "library" || doc.Info.Version != "v1.37.0" {
		t.Errorf("head: %v %v", doc.Swagger, doc.Info)
	}

	models := map[string]*openapi_v2.Schema{}
	for _, d := range doc.Definitions.AdditionalProperties {
		models[d.Name] = d.Value
	}
	for _, ref := range regexp.MustCompile(`"\$ref":"([^"]*)"`).FindAllStringSubmatch(do(s, request{path: "/openapi/v2"}).Body.String(), -1) {
		if name, ok := strings.CutPrefix(ref[1], "#/definitions/"); !ok || models[name] == nil {
			t.Errorf("%s leads nowhere", ref[1])
		}
	}
	for _, name := range []string{"com.example.library.v1.Book", "com.example.library.v1alpha1.Book", "com.example.library.v1.Shelf"} {
		if m := models[name]; m == nil || !strings.Contains(m.VendorExtension[0].String(), "library.example.com") {
			t.Errorf("%s does not say its kind: %v", name, m)
		}
	}
	if list := models["com.example.library.v1.BookList"]; list == nil || list.Properties == nil {
		t.Errorf("no lists: %v", list)
	}
	if len(doc.Paths.Path) != 7+6+2+3 {
		t.Errorf("%d paths", len(doc.Paths.Path))
	}
}

func TestOpenAPIV2Caching(t *testing.T) {
	s := generated(t)
	asProtobuf := map[string]string{"Accept": kubectlAccept}
	forms := map[string]map[string]string{"json": {"Accept": "application/json"}, "protobuf": asProtobuf}
	tags := map[string]bool{}
	for name, header := range forms {
		w := do(s, request{path: "/openapi/v2", header: header})
		tag := w.Header().Get("ETag")
		if tag == "" || tags[tag] {
			t.Errorf("%s: ETag %q", name, tag)
		}
		tags[tag] = true
		header["If-None-Match"] = tag
		if w := do(s, request{path: "/openapi/v2", header: header}); w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
			t.Errorf("%s, again: %d %v", name, w.Code, w.Header())
		}
		if again := do(generated(t), request{path: "/openapi/v2", header: header}); again.Code != http.StatusNotModified {
			t.Errorf("%s: another document after a restart", name)
		}
	}
}

func TestOpenAPIV2WithoutSchemas(t *testing.T) {
	w := do(newServer(t, config(t, books())), request{path: "/openapi/v2"})
	var doc struct {
		Paths, Definitions map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Header().Get("Content-Type") != "application/json" {
		t.Fatalf("%v: %v %s", err, w.Header(), w.Body)
	}
	if got := slices.Sorted(maps.Keys(doc.Paths)); !slices.Equal(got, []string{"/apis/", "/apis/library.example.com/", "/version/"}) || doc.Definitions["io.k8s.apimachinery.pkg.version.Info"] == nil {
		t.Errorf("got %q %s", got, w.Body)
	}
}

// Models of several group versions are there once. If they differ, the log says which.
func TestOpenAPIV2SharedModels(t *testing.T) {
	text := func(version, kind, status string) string {
		return `{"Status":` + status + `,"` + version + `.Book":{"type":"object","x-kubernetes-group-version-kind":[{"group":"library.example.com","version":"` + version + `","kind":"` + kind + `"}]}}`
	}
	shared := func(kind string) string {
		return `{"type":"object","x-kubernetes-group-version-kind":[{"group":"","version":"v1","kind":"Status"},{"group":"g","version":"v1","kind":"` + kind + `"}]}`
	}
	for name, tc := range map[string]struct {
		alpha string
		kinds int
		warns bool
	}{
		"the same":    {shared("A"), 2, false},
		"other kinds": {shared("B"), 3, false},
		"different":   {`{"type":"string"}`, 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			alpha := books()
			alpha.GroupVersion = gvAlpha
			c := config(t, books(), alpha)
			c.Log = textLog(&log)
			c.OpenAPI = map[schema.GroupVersion]string{gv1: text("v1", "Book", shared("A")), gvAlpha: text("v1alpha1", "Book", tc.alpha)}
			var doc struct {
				Definitions map[string]struct {
					Kinds []any `json:"x-kubernetes-group-version-kind"`
				}
			}
			if err := json.Unmarshal(do(newServer(t, c), request{path: "/openapi/v2"}).Body.Bytes(), &doc); err != nil {
				t.Fatal(err)
			}
			if got := len(doc.Definitions["Status"].Kinds); got != tc.kinds || doc.Definitions["v1.Book"].Kinds == nil || doc.Definitions["v1alpha1.Book"].Kinds == nil {
				t.Errorf("%d kinds: %v", got, doc)
			}
			if warned := strings.Contains(log.String(), "[Status]"); warned != tc.warns {
				t.Errorf("log: %s", &log)
			}
		})
	}
}
