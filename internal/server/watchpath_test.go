package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// The old paths are watches of the same objects as the new ones. Who authorizes hears the verb and
// the name, and no selector.
func TestWatchPaths(t *testing.T) {
	const v1 = "/apis/library.example.com/v1"
	var watched, asked string
	r, s2 := books(), shelves()
	r.Watch = watchFunc(func(_ context.Context, namespace string, opts metav1.ListOptions) (rest.Stream, error) {
		watched = fmt.Sprintf("%s %s %t", namespace, opts.FieldSelector, opts.SendInitialEvents != nil && *opts.SendInitialEvents)
		return endedStream(), nil
	})
	s2.Watch, s2.ListKind = r.Watch, "ShelfList"
	c := config(t, r, s2)
	c.Authorizer = authorizerFunc(func(a auth.Attributes) (bool, string, error) {
		asked = strings.Join([]string{a.Verb, a.Resource, a.Namespace, a.Name, a.FieldSelector, a.LabelSelector}, "|")
		return true, "", nil
	})
	s := newServer(t, c)
	for _, tc := range []struct{ path, watched, asked string }{
		{v1 + "/watch/books", "  true", "watch|books||||"},
		{v1 + "/watch/namespaces/ns/books", "ns  true", "watch|books|ns|||"},
		{v1 + "/watch/namespaces//books", "  true", "watch|books||||"},
		{v1 + "/watch/namespaces/ns/books?resourceVersion=5", "ns  false", "watch|books|ns|||"},
		{v1 + "/watch/namespaces/ns/books/b", "ns metadata.name=b true", "watch|books|ns|b||"},
		{v1 + "/watch/namespaces/ns/books/b?fieldSelector=metadata.name%3Db", "ns metadata.name=b true", "watch|books|ns|b||"},
		{v1 + "/watch/namespaces/ns/books?fieldSelector=metadata.name%3Db&labelSelector=x", "ns metadata.name=b true", "watch|books|ns|||"},
		{v1 + "/watch/shelves/s", " metadata.name=s true", "watch|shelves||s||"},
	} {
		watched, asked = "", ""
		if w := do(s, request{path: tc.path}); w.Code != http.StatusOK || watched != tc.watched || asked != tc.asked {
			t.Errorf("%s: %d, watched %q, asked %q\n%s", tc.path, w.Code, watched, asked, w.Body)
		}
	}
	w := do(s, request{path: v1 + "/watch/namespaces/ns/books/b?fieldSelector=metadata.name%3Dother"})
	wantStatus(t, w, http.StatusBadRequest, metav1.StatusReasonBadRequest, "fieldSelector metadata.name doesn't match requested name")
	for _, method := range []string{"HEAD", "POST", "DELETE"} {
		if w := do(s, request{method: method, path: v1 + "/watch/books"}); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET" {
			t.Errorf("%s: %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
}

// A namespace without a name stands for all of them, where there can be more than one.
func TestAllNamespaces(t *testing.T) {
	const path = "/apis/library.example.com/v1/namespaces//books"
	s := newServer(t, config(t, books(), shelves()))
	if w := do(s, request{path: path}); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "BookList") {
		t.Errorf("list: %d %s", w.Code, w.Body)
	}
	for _, r := range []request{{path: path + "/b"}, {method: "POST", path: path}, {method: "DELETE", path: path}, {method: "PUT", path: path + "/b"}} {
		wantStatus(t, do(s, r), http.StatusBadRequest, metav1.StatusReasonBadRequest, "Namespace parameter required.")
	}
}

// TestLenientQueries: a number below zero counts as no number, as in Kubernetes.
func TestLenientQueries(t *testing.T) {
	s := newServer(t, config(t, books()))
	for _, query := range []string{"limit=-1", "timeoutSeconds=-1", "timeout=-1s"} {
		if w := do(s, request{path: booksPath + "?" + query}); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
}

// What can't be shown as the client wants it is not acceptable, once it is there.
func TestShapeOfWhatIsMissing(t *testing.T) {
	const list = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v="
	r := books()
	r.Get = getFunc(func(_ context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
		if n.Name == "missing" {
			return nil, notThere()
		}
		return aBook(n.Name), nil
	})
	var form rest.Representation
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) {
		stream := &fakeStream{batches: make(chan []rest.Event, 1)}
		stream.batches <- []rest.Event{{Type: rest.Added, Object: formKeeper{&form}}}
		close(stream.batches)
		return stream, nil
	})
	s := newServer(t, config(t, r))
	for path, code := range map[string]int{booksPath + "/missing": 404, bookPath: 406, booksPath: 200, booksPath + "?watch=1": 200} {
		for _, version := range []string{"v1", "v1beta1"} {
			if w := do(s, request{path: path, header: map[string]string{"Accept": list + version}}); w.Code != code {
				t.Errorf("%s as %s: %d %s", path, version, w.Code, w.Body)
			}
		}
	}
	do(s, request{path: booksPath + "?watch=1", header: map[string]string{"Accept": list + "v1beta1"}})
	if form.As != rest.AsPartialObjectMetadata || form.AsVersion != "v1beta1" {
		t.Errorf("an event is written as %+v", form)
	}
}

// Namespaces are in no namespace. A user who may list in one must not see them all.
func TestNamespacesInNamespaces(t *testing.T) {
	r := books()
	r.Name, r.Singular, r.Namespaced = "namespaces", "namespace", false
	s := newServer(t, config(t, r))
	const path = "/apis/library.example.com/v1/namespaces"
	for suffix, code := range map[string]int{"": 200, "/a": 200, "/a/namespaces": 404, "/a/namespaces/a": 404, "//namespaces": 404, "/a/namespaces?watch=1": 404} {
		if w := do(s, request{path: path + suffix}); w.Code != code {
			t.Errorf("%s: got %d, want %d", suffix, w.Code, code)
		}
	}
}

func TestVersionSaysMore(t *testing.T) {
	var version map[string]string
	w := do(newServer(t, config(t, books())), request{path: "/version"})
	if err := json.Unmarshal(w.Body.Bytes(), &version); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"emulationMajor": "1", "emulationMinor": "37", "minCompatibilityMajor": "1", "minCompatibilityMinor": "36"} {
		if version[name] != want {
			t.Errorf("%s is %q, want %q", name, version[name], want)
		}
	}
}

// Every document that the root names is there, and says only what is in it.
func TestOpenAPIOfDiscovery(t *testing.T) {
	s := withOpenAPI(t, books(), shelves())
	var root struct {
		Paths map[string]struct{ ServerRelativeURL string }
	}
	if err := json.Unmarshal(do(s, request{path: "/openapi/v3"}).Body.Bytes(), &root); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apis", "apis/library.example.com", "apis/library.example.com/v1", "version"} {
		w := do(s, request{path: root.Paths[name].ServerRelativeURL})
		var doc struct {
			Paths      map[string]any
			Components struct{ Schemas map[string]any }
		}
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil || w.Code != http.StatusOK || doc.Paths["/"+name+"/"] == nil {
			t.Errorf("%s: %v %d %s", name, err, w.Code, w.Body)
		}
		for _, part := range strings.Split(w.Body.String(), `"$ref":"#/components/schemas/`)[1:] {
			if model, _, _ := strings.Cut(part, `"`); doc.Components.Schemas[model] == nil {
				t.Errorf("%s: there is no model %s", name, model)
			}
		}
	}
}
