package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

const schemas = `{
	"com.example.library.v1.Book": {"type":"object","description":"Book is a book.","properties":{"spec":{"$ref":"#/components/schemas/com.example.library.v1.BookSpec"}},
		"x-kubernetes-group-version-kind":[{"group":"library.example.com","version":"v1","kind":"Book"}]},
	"com.example.library.v1.BookList": {"type":"object","x-kubernetes-group-version-kind":[{"group":"library.example.com","version":"v1","kind":"BookList"}]},
	"com.example.library.v1.BookSpec": {"type":"object","properties":{"title":{"type":"string"}}},
	"com.example.library.v1.Shelf": {"type":"object","x-kubernetes-group-version-kind":[{"group":"library.example.com","version":"v1","kind":"Shelf"}]}
}`

func withOpenAPI(t *testing.T, resources ...rest.Resource) *server.Server {
	t.Helper()
	c := config(t, resources...)
	c.OpenAPI = map[schema.GroupVersion]string{gv1: schemas}
	return newServer(t, c)
}

// documentURL is where the root says that the document of v1 is.
func documentURL(t *testing.T, s *server.Server) string {
	t.Helper()
	w := do(s, request{path: "/openapi/v3", header: map[string]string{"Accept": "application/json, */*"}})
	var root struct {
		Paths map[string]struct {
			URL string `json:"serverRelativeURL"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &root); err != nil || len(root.Paths) != 4 || w.Header().Get("ETag") == "" {
		t.Fatalf("root: %v %s %v", err, w.Body, w.Header())
	}
	return root.Paths["apis/library.example.com/v1"].URL
}

func TestOpenAPICaching(t *testing.T) {
	s := withOpenAPI(t, books(), shelves())
	url := documentURL(t, s)
	if !strings.HasPrefix(url, "/openapi/v3/apis/library.example.com/v1?hash=") {
		t.Fatalf("URL %q", url)
	}
	w := do(s, request{path: url})
	expires, err := http.ParseTime(w.Header().Get("Expires"))
	if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != "public, immutable" || w.Header().Get("Vary") != "Accept" || err != nil || time.Until(expires) < 364*24*time.Hour {
		t.Errorf("got %d %v", w.Code, w.Header())
	}
	etag := w.Header().Get("ETag")
	if etag != `"`+url[strings.Index(url, "=")+1:]+`"` {
		t.Errorf("ETag %s does not match %s", etag, url)
	}
	if w := do(s, request{path: url, header: map[string]string{"If-None-Match": etag}}); w.Code != http.StatusNotModified {
		t.Errorf("again: %d", w.Code)
	}
	w = do(s, request{path: "/openapi/v3/apis/library.example.com/v1?hash=OLD"})
	if w.Code != http.StatusMovedPermanently || w.Header().Get("Location") != url {
		t.Errorf("wrong hash: %d %v", w.Code, w.Header())
	}
	w = do(s, request{path: "/openapi/v3/apis/library.example.com/v1"})
	if w.Code != http.StatusOK || w.Header().Get("Cache-Control") == "public, immutable" {
		t.Errorf("no hash: %d %v", w.Code, w.Header())
	}
	w = do(s, request{path: url, header: map[string]string{"Accept": "application/com.github.proto-openapi.spec.v3.v1.0+protobuf"}})
	if w.Code != http.StatusNotAcceptable {
		t.Errorf("protobuf only: %d", w.Code)
	}
	if again := documentURL(t, withOpenAPI(t, books(), shelves())); again != url {
		t.Errorf("the hash is another one after a restart: %s, %s", url, again)
	}
}

// operationDoc is what the tests look at.
type operationDoc struct {
	OperationID string                                `json:"operationId"`
	Action      string                                `json:"x-kubernetes-action"`
	Kind        struct{ Group, Version, Kind string } `json:"x-kubernetes-group-version-kind"`
	Parameters  []struct{ Name, In string }
	RequestBody *struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
}

func TestOpenAPIPaths(t *testing.T) {
	s := withOpenAPI(t, books(), shelves())
	var doc struct {
		OpenAPI    string
		Info       struct{ Title, Version string }
		Components struct{ Schemas map[string]any }
		Paths      map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(do(s, request{path: documentURL(t, s)}).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.0.0" || doc.Info.Title != "library" || doc.Info.Version != "v1.37.0" || len(doc.Components.Schemas) != 4+4 {
		t.Errorf("head: %+v", doc)
	}
	const v1 = "/apis/library.example.com/v1"
	want := map[string]string{ // operations, with whether they take fieldValidation
		v1 + "/books get":                                     "listLibraryExampleComV1BookForAllNamespaces list -",
		v1 + "/namespaces/{namespace}/books get":              "listLibraryExampleComV1NamespacedBook list -",
		v1 + "/namespaces/{namespace}/books post":             "createLibraryExampleComV1NamespacedBook post fieldValidation",
		v1 + "/namespaces/{namespace}/books/{name} get":       "readLibraryExampleComV1NamespacedBook get -",
		v1 + "/namespaces/{namespace}/books/{name} put":       "replaceLibraryExampleComV1NamespacedBook put fieldValidation",
		v1 + "/namespaces/{namespace}/books/{name} delete":    "deleteLibraryExampleComV1NamespacedBook delete -",
		v1 + "/shelves post":                                  "createLibraryExampleComV1Shelf post fieldValidation",
		v1 + "/watch/books get":                               "watchLibraryExampleComV1BookListForAllNamespaces watchlist -",
		v1 + "/watch/namespaces/{namespace}/books get":        "watchLibraryExampleComV1NamespacedBookList watchlist -",
		v1 + "/watch/namespaces/{namespace}/books/{name} get": "watchLibraryExampleComV1NamespacedBook watch -",
	}
	got := map[string]string{}
	for path, item := range doc.Paths {
		if path == v1+"/" {
			continue // it has no parameters
		}
		if len(item) == 1 {
			t.Errorf("%s: nothing can be done there", path)
		}
		for method, text := range item {
			if method == "parameters" {
				continue
			}
			var op operationDoc
			if err := json.Unmarshal(text, &op); err != nil {
				t.Fatal(err)
			}
			validation := "-"
			if slices.Contains(op.Parameters, struct{ Name, In string }{"fieldValidation", "query"}) {
				validation = "fieldValidation"
			}
			got[path+" "+method] = op.OperationID + " " + op.Action + " " + validation
			if op.Kind.Group != gv1.Group || op.Kind.Version != "v1" || op.Kind.Kind == "" {
				t.Errorf("%s %s: kind %+v", path, method, op.Kind)
			}
			if method == "post" || method == "put" {
				if op.RequestBody == nil || op.RequestBody.Content["application/json"].Schema.Ref != "#/components/schemas/com.example.library.v1."+op.Kind.Kind {
					t.Errorf("%s %s: body %+v", path, method, op.RequestBody)
				}
			}
		}
	}
	for key, value := range want {
		if got[key] != value {
			t.Errorf("%s\n got: %s\nwant: %s", key, got[key], value)
		}
		delete(got, key)
	}
	if len(got) != 0 {
		t.Errorf("not expected: %v", got)
	}
}
