package server_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/serializer"
)

const (
	goodBook   = `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"b"},"spec":{"title":"T"}}`
	stored     = `{"kind":"Book","apiVersion":"library.example.com/v1","metadata":{"name":"b"},"spec":{"title":"T"}}`
	badType    = "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf"
	handled    = `Book in version "v1" cannot be handled as a Book: `
	validation = "?fieldValidation="
)

// What can be wrong with a body is the same for create and update.
func TestBadBodies(t *testing.T) {
	c := config(t, books(), shelves())
	c.MaxBody = 1000
	s := newServer(t, c)
	for _, tc := range []struct {
		name    string
		query   string
		typ     string
		body    string
		code    int
		reason  metav1.StatusReason
		message string
	}{
		{"content type", "", "text/plain", goodBook, 415, metav1.StatusReasonUnsupportedMediaType, badType},
		{"patch as content type", "", "application/merge-patch+json", goodBook, 415, metav1.StatusReasonUnsupportedMediaType, badType},
		{"too large", "", "", goodBook + strings.Repeat(" ", 1000), 413, metav1.StatusReasonRequestEntityTooLarge, "Request entity too large: limit is 1000"},
		{"other version", "", "", strings.Replace(goodBook, "/v1", "/v1alpha1", 1), 400, metav1.StatusReasonBadRequest,
			"the API version in the data (library.example.com/v1alpha1) does not match the expected API version (library.example.com/v1)"},
		{"unknown version", "", "", strings.Replace(goodBook, "/v1", "/v7", 1), 400, metav1.StatusReasonBadRequest,
			`Book in version "v7" cannot be handled as a Book: no kind "Book" is registered for version "library.example.com/v7"`},
		{"other kind", "", "", strings.Replace(goodBook, `"Book"`, `"Shelf"`, 1), 400, metav1.StatusReasonBadRequest,
			`Shelf in version "v1" cannot be handled as a Book: the path ` + bookPathMark + ` takes objects of kind Book only`},
		{"unknown kind", "", "", strings.Replace(goodBook, `"Book"`, `"Paper"`, 1), 400, metav1.StatusReasonBadRequest,
			`Paper in version "v1" cannot be handled as a Book: no kind "Paper" is registered for version "library.example.com/v1"`},
		{"strict, unknown field", validation + "Strict", "", `{"metadata":{"name":"b"},"spec":{"x":1}}`, 400, metav1.StatusReasonBadRequest, handled + `strict decoding error: unknown field "spec.x"`},
		{"strict, twice", validation + "Strict", "", `{"metadata":{"name":"b"},"spec":{"title":"a","title":"b"}}`, 400, metav1.StatusReasonBadRequest, handled + `strict decoding error: duplicate field "spec.title"`},
		{"bad directive", validation + "Sometimes", "", goodBook, 422, metav1.StatusReasonInvalid, `OPTIONS.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "Sometimes": supported values: "", "Ignore", "Strict", "Warn"`},
		{"bad dry run", "?dryRun=All&dryRun=Some", "", goodBook, 422, metav1.StatusReasonInvalid, `OPTIONS.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["All","Some"]: supported values: "All"`},
		{"long manager", "?fieldManager=" + strings.Repeat("x", 129), "", goodBook, 422, metav1.StatusReasonInvalid, `OPTIONS.meta.k8s.io "" is invalid: fieldManager: Too long: may not be more than 128 bytes`},
		{"manager that can't be printed", "?fieldManager=a%07", "", goodBook, 422, metav1.StatusReasonInvalid, `OPTIONS.meta.k8s.io "" is invalid: fieldManager: Invalid value: "a\a": invalid character U+0007 (at position 1)`},
	} {
		for method, m := range map[string]struct{ path, options string }{"POST": {booksPath, "CreateOptions"}, "PUT": {bookPath, "UpdateOptions"}} {
			t.Run(method+" "+tc.name, func(t *testing.T) {
				w := do(s, request{method: method, path: m.path + tc.query, header: map[string]string{"Content-Type": tc.typ}, body: tc.body})
				message := strings.NewReplacer(bookPathMark, m.path, "OPTIONS", m.options).Replace(tc.message)
				wantStatus(t, w, tc.code, tc.reason, message)
			})
		}
	}
}

const bookPathMark = "<PATH>"

func TestUnreadableBodies(t *testing.T) {
	s := newServer(t, config(t, books()))
	for name, tc := range map[string]struct{ typ, body, want string }{
		"cut off":                   {"application/json", `{"kind":"Book"`, "unexpected end of JSON input"},
		"empty":                     {"application/json", ``, "unexpected end of JSON input"},
		"a list":                    {"application/json", `[]`, ""},
		"wrong type of a field":     {"application/json", `{"spec":{"pages":"many"}}`, "spec.pages"},
		"bad yaml":                  {"application/yaml", "a: b: c", "yaml"},
		"protobuf without envelope": {"application/vnd.kubernetes.protobuf", "\x0a\x00", "k8s"},
		"protobuf of another kind":  {"application/vnd.kubernetes.protobuf", "k8s\x00\x0a\x00", "Book"},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(s, request{method: "POST", path: booksPath, header: map[string]string{"Content-Type": tc.typ}, body: tc.body})
			if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"reason":"BadRequest"`) || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
}

func TestCreate(t *testing.T) {
	var gotName rest.Name
	var gotOpts metav1.CreateOptions
	r := books()
	r.Create = createFunc(func(_ context.Context, _ *rest.Request, n rest.Name, obj rest.Body, o metav1.CreateOptions) (rest.View, error) {
		gotName, gotOpts = n, o
		return objectView{obj}, nil
	})
	s := newServer(t, config(t, r))
	for name, tc := range map[string]struct{ typ, body string }{
		"json":                {"application/json", goodBook},
		"json with a charset": {"application/json; charset=utf-8", goodBook},
		"no content type":     {"", goodBook},
		"yaml":                {"application/yaml", "metadata: {name: b}\nspec: {title: T}\n"},
		"no kind, no version": {"", `{"metadata":{"name":"b"},"spec":{"title":"T"}}`},
		"only the apiVersion": {"", `{"apiVersion":"library.example.com/v1","metadata":{"name":"b"},"spec":{"title":"T"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(s, request{method: "POST", path: booksPath + "?dryRun=All&fieldManager=me&fieldValidation=Strict", header: map[string]string{"Content-Type": tc.typ}, body: tc.body})
			if w.Code != http.StatusCreated || w.Body.String() != stored+"\n" {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
			if gotName != (rest.Name{Namespace: "ns", Name: "b"}) {
				t.Errorf("name is %v", gotName)
			}
			want := metav1.CreateOptions{DryRun: []string{"All"}, FieldManager: "me", FieldValidation: "Strict"}
			if diff := cmp.Diff(want, gotOpts); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCreateFromProtobuf(t *testing.T) {
	s := newServer(t, config(t, shelves()))
	shelf := &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: "Shelf", APIVersion: gv1.String()},
		ObjectMeta: metav1.ObjectMeta{Name: "s"},
	}
	body, err := serializer.Append(nil, shelf, serializer.Protobuf, false)
	if err != nil {
		t.Fatal(err)
	}
	const typ = "application/vnd.kubernetes.protobuf"
	w := do(s, request{method: "POST", path: "/apis/library.example.com/v1/shelves", header: map[string]string{"Content-Type": typ, "Accept": typ}, body: string(body)})
	if w.Code != http.StatusCreated || w.Header().Get("Content-Type") != typ || w.Body.String() != string(body) {
		t.Errorf("got %d %s %q", w.Code, w.Header().Get("Content-Type"), w.Body)
	}
}

func TestUpdate(t *testing.T) {
	s := newServer(t, config(t, books()))
	for name, tc := range map[string]struct {
		path, body string
		code       int
		message    string
	}{
		"replaces":        {bookPath, goodBook, 200, ""},
		"creates":         {booksPath + "/new", strings.Replace(goodBook, `"b"`, `"new"`, 1), 201, ""},
		"same namespace":  {bookPath, `{"metadata":{"name":"b","namespace":"ns"}}`, 200, ""},
		"other name":      {bookPath, `{"metadata":{"name":"c"}}`, 400, "the name of the object (c) does not match the name on the URL (b)"},
		"no name":         {bookPath, `{"metadata":{}}`, 400, "the name of the object (b based on URL) was undeterminable: name must be provided"},
		"other namespace": {bookPath, `{"metadata":{"name":"b","namespace":"other"}}`, 400, "the namespace of the provided object does not match the namespace sent on the request"},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(s, request{method: "PUT", path: tc.path, body: tc.body})
			if tc.code >= 400 {
				wantStatus(t, w, tc.code, metav1.StatusReasonBadRequest, tc.message)
				return
			}
			if w.Code != tc.code {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
		})
	}
}

// A version that is deprecated says so in each answer, also of an error.
func TestDeprecatedVersion(t *testing.T) {
	served := books()
	served.Deprecated = "use v2"
	s := newServer(t, config(t, served))
	for _, r := range []request{
		{method: "POST", path: booksPath, body: goodBook}, {method: "GET", path: booksPath}, {method: "GET", path: booksPath + "/none"}, {method: "DELETE", path: booksPath + "/none"},
	} {
		if got := do(s, r).Header()["Warning"]; !slices.Equal(got, []string{`299 - "use v2"`}) {
			t.Errorf("%s %s: %q", r.method, r.path, got)
		}
	}
}

func TestWarnings(t *testing.T) {
	s := newServer(t, config(t, books()))
	long := strings.Repeat("x", 300)
	many := `{"metadata":{"name":"b"}`
	for i := range 40 {
		many += `,"` + long + strings.Repeat("y", i) + `":1`
	}
	for name, tc := range map[string]struct {
		query, body string
		want        []string
		count       int
	}{
		"by default":  {"", `{"metadata":{"name":"b"},"a":1,"spec":{"x":1,"title":"a","title":"b"}}`, []string{`299 - "unknown field \"a\""`, `299 - "unknown field \"spec.x\""`, `299 - "duplicate field \"spec.title\""`}, 0},
		"if asked":    {"?fieldValidation=Warn", `{"metadata":{"name":"b"},"a":1}`, []string{`299 - "unknown field \"a\""`}, 0},
		"not ignored": {"?fieldValidation=Ignore", `{"metadata":{"name":"b"},"a":1}`, nil, 0},
		"none":        {"", goodBook, nil, 0},
		"too many":    {"", many + "}", nil, 16},
	} {
		t.Run(name, func(t *testing.T) {
			w := do(s, request{method: "POST", path: booksPath + tc.query, body: tc.body})
			if w.Code != http.StatusCreated {
				t.Fatalf("got %d %s", w.Code, w.Body)
			}
			got := w.Header()["Warning"]
			if tc.count > 0 {
				if len(got) != tc.count || len(got[0]) > 300 {
					t.Errorf("got %d warnings of %d bytes, want %d", len(got), len(got[0]), tc.count)
				}
				return
			}
			if len(got) != len(tc.want) {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
			for _, warning := range tc.want {
				if !strings.Contains(strings.Join(got, "\n"), warning) {
					t.Errorf("%s is missing in %q", warning, got)
				}
			}
		})
	}
}
