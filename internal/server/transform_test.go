package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
)

// formView writes the form that it is asked for.
type formView struct{}

func (formView) WriteTo(w io.Writer, form rest.Representation) error {
	_, err := fmt.Fprintf(w, "%q", fmt.Sprintf("%s as %s/%s with %s, no headers: %t", form.MediaType, form.As, form.AsVersion, form.IncludeObject, form.NoHeaders))
	return err
}

// forms answers every verb with a formView.
func forms() rest.Resource {
	r := books()
	r.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { return formView{}, nil })
	r.List = listFunc(func(context.Context, string, metav1.ListOptions) (rest.View, error) { return formView{}, nil })
	r.Create = createFunc(func(context.Context, *rest.Request, rest.Name, rest.Body, metav1.CreateOptions) (rest.View, error) {
		return formView{}, nil
	})
	r.Update = updateFunc(func(context.Context, *rest.Request, rest.Name, rest.Body, metav1.UpdateOptions) (rest.View, bool, error) {
		return formView{}, false, nil
	})
	r.Delete = deleteFunc(func(context.Context, *rest.Request, rest.Name, metav1.DeleteOptions) (rest.View, error) {
		return formView{}, nil
	})
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) {
		s := &fakeStream{batches: make(chan []rest.Event, 2)}
		s.batches <- []rest.Event{{Type: rest.Added, Object: formView{}}, {Type: rest.Added, Object: formView{}}}
		s.batches <- []rest.Event{{Type: rest.Bookmark, Object: formView{}}}
		close(s.batches)
		return s, nil
	})
	return r
}

const (
	jsonTable     = "application/json;as=Table;v=v1;g=meta.k8s.io"
	kubectlGet    = jsonTable + ",application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json"
	metaOne       = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	metaList      = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	metaClient    = metaOne + ",application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	metaListsJSON = metaList + ";q=0.1,application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"

	jsonAsTable  = "application/json as Table/ with , no headers: false"
	jsonAsObject = "application/json as / with , no headers: false"
)

func TestTransform(t *testing.T) {
	s := newServer(t, config(t, forms()))
	for _, tc := range []struct {
		name, path, accept, want string
	}{
		{"kubectl get", bookPath, kubectlGet, jsonAsTable},
		{"kubectl get of a list", booksPath, kubectlGet, jsonAsTable},
		{"a table as YAML", bookPath, "application/yaml;as=Table;v=v1;g=meta.k8s.io", "application/yaml as Table/ with , no headers: false"},
		{"an old client", bookPath, "application/json;as=Table;v=v1beta1;g=meta.k8s.io", "application/json as Table/v1beta1 with , no headers: false"},
		{"with the object", bookPath + "?includeObject=Object", kubectlGet, "application/json as Table/ with Object, no headers: false"},
		{"with nothing", bookPath + "?includeObject=None", kubectlGet, "application/json as Table/ with None, no headers: false"},
		{"includeObject is about tables", bookPath + "?includeObject=nonsense", "application/json", jsonAsObject},
		{"no table as protobuf", bookPath, "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", jsonAsObject},
		{"no table of another version", bookPath, "application/json;as=Table;v=v2;g=meta.k8s.io,application/json", jsonAsObject},
		{"no table of another group", bookPath, "application/json;as=Table;v=v1,application/json", jsonAsObject},
		{"not anything", bookPath, "application/json;as=Book;v=v1;g=meta.k8s.io,application/json", jsonAsObject},
		{"no other stream", bookPath, jsonTable + ";stream=other,application/json", jsonAsObject},
		{"a table of any type", bookPath, "*/*;as=Table;v=v1;g=meta.k8s.io", jsonAsTable},
		{"the metadata client", bookPath, metaClient, "application/vnd.kubernetes.protobuf as PartialObjectMetadata/ with , no headers: false"},
		{"its lists", booksPath, metaList, "application/vnd.kubernetes.protobuf as PartialObjectMetadata/ with , no headers: false"},
		{"by quality", booksPath, metaListsJSON, "application/json as PartialObjectMetadata/ with , no headers: false"},
		{"metadata of long ago", bookPath, "application/json;as=PartialObjectMetadata;v=v1beta1;g=meta.k8s.io,application/json", "application/json as PartialObjectMetadata/v1beta1 with , no headers: false"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := do(s, request{path: tc.path, header: map[string]string{"Accept": tc.accept}})
			mediaType, _, _ := strings.Cut(tc.want, " ")
			if got := strings.Trim(w.Body.String(), `"`); w.Code != http.StatusOK || got != tc.want || w.Header().Get("Content-Type") != mediaType {
				t.Errorf("got %d %s %s, want %s", w.Code, w.Header().Get("Content-Type"), got, tc.want)
			}
		})
	}
}

func TestTransformOfWrites(t *testing.T) {
	s := newServer(t, config(t, forms()))
	const body = `{"kind":"Book","apiVersion":"library.example.com/v1","metadata":{"name":"b"}}`
	for _, r := range []request{
		{method: http.MethodPost, path: booksPath, body: body}, {method: http.MethodPut, path: bookPath, body: body}, {method: http.MethodDelete, path: bookPath},
	} {
		r.header = map[string]string{"Accept": kubectlGet}
		if w := do(s, r); strings.Trim(w.Body.String(), `"`) != jsonAsTable {
			t.Errorf("%s answers %d %s", r.method, w.Code, w.Body)
		}
	}
}

func TestTransformRefused(t *testing.T) {
	s := newServer(t, config(t, forms()))
	for _, tc := range []struct {
		name, path, accept string
		code               int
		reason             metav1.StatusReason
		message            string
	}{
		{"only a table as protobuf", bookPath, "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", 406, metav1.StatusReasonNotAcceptable, notOurs},
		{"metadata of one for a list", booksPath, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json", 406, metav1.StatusReasonNotAcceptable,
			"you requested PartialObjectMetadata, but the requested object is a list (BookList)"},
		{"a list of metadata for one", bookPath, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json", 406, metav1.StatusReasonNotAcceptable,
			"you requested PartialObjectMetadataList, but the requested object is not a list (Book)"},
		{"an unknown content of rows", bookPath + "?includeObject=All", kubectlGet, 400, metav1.StatusReasonBadRequest,
			`Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`},
		{"an error is no table", "/apis/library.example.com/v1/namespaces/ns/books/a%25b", jsonTable + ",application/json", 400, metav1.StatusReasonBadRequest,
			`Name parameter invalid: "a%b": may not contain '%'`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			wantStatus(t, do(s, request{path: tc.path, header: map[string]string{"Accept": tc.accept}}), tc.code, tc.reason, tc.message)
		})
	}
}

// What can only be created is in no table: a review. A client that takes anything else, too, has it
// so.
func TestNoTableOfWhatIsNotRead(t *testing.T) {
	r := forms()
	r.Get, r.List, r.Update, r.Delete, r.Watch = nil, nil, nil, nil, nil
	s := newServer(t, config(t, r))
	post := func(accept string) request {
		return request{method: http.MethodPost, path: booksPath, body: `{"kind":"Book","apiVersion":"library.example.com/v1","metadata":{"name":"b"}}`, header: map[string]string{"Accept": accept}}
	}
	wantStatus(t, do(s, post(jsonTable)), 406, metav1.StatusReasonNotAcceptable, notOurs)
	if w := do(s, post(kubectlGet)); strings.Trim(w.Body.String(), `"`) != jsonAsObject {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The first event of a stream of tables has the columns, no other does.
func TestTransformOfWatches(t *testing.T) {
	s := newServer(t, config(t, forms()))
	w := do(s, request{path: booksPath + "?watch=1&includeObject=Object", header: map[string]string{"Accept": kubectlGet}})
	event := `{"type":"%s","object":"application/json as Table/ with Object, no headers: %t"}` + "\n"
	want := fmt.Sprintf(event, "ADDED", false) + fmt.Sprintf(event, "ADDED", true) + fmt.Sprintf(event, "BOOKMARK", true)
	if got := w.Body.String(); got != want || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%s\n%s\nwant\n%s", w.Header().Get("Content-Type"), got, want)
	}
	w = do(s, request{path: booksPath + "?watch=1", header: map[string]string{"Accept": metaOne}})
	if got := w.Body.String(); strings.Count(got, "protobuf as PartialObjectMetadata/") != 3 || w.Header().Get("Content-Type") != "application/vnd.kubernetes.protobuf;stream=watch" {
		t.Errorf("%s\n%q", w.Header().Get("Content-Type"), got)
	}
}
