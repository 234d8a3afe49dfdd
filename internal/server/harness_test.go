package server_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/serializer"
)

// book is a kind of the tests; shelf is one that has protobuf.
type book struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              bookSpec `json:"spec"`
}

type bookSpec struct {
	Title string `json:"title,omitempty"`
	Pages int    `json:"pages,omitempty"`
}

func (b *book) DeepCopyObject() apiruntime.Object {
	c := *b
	b.ObjectMeta.DeepCopyInto(&c.ObjectMeta)
	return &c
}

type bookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []book `json:"items"`
}

func (l *bookList) DeepCopyObject() apiruntime.Object { c := *l; return &c }

type book2 struct{ book }

func (b *book2) DeepCopyObject() apiruntime.Object {
	return &book2{*b.book.DeepCopyObject().(*book)}
}

var (
	gv1     = schema.GroupVersion{Group: "library.example.com", Version: "v1"}
	gvAlpha = schema.GroupVersion{Group: "library.example.com", Version: "v1alpha1"}
)

func newScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	newBookList := func() apiruntime.Object { return new(bookList) }
	books := runtime.AddHub(b, schema.GroupKind{Group: gv1.Group, Kind: "Book"}, func() *book { return new(book) })
	runtime.AddVersion(books, runtime.Version[*book, *book]{GroupVersion: gv1, New: func() *book { return new(book) }, NewList: newBookList})
	runtime.AddVersion(books, runtime.Version[*book2, *book]{
		GroupVersion: gvAlpha, New: func() *book2 { return new(book2) }, NewList: newBookList,
		ToHub:   func(in *book2, out *book) error { *out = in.book; return nil },
		FromHub: func(in *book, out *book2) error { out.book = *in; return nil },
	})
	shelves := runtime.AddHub(b, schema.GroupKind{Group: gv1.Group, Kind: "Shelf"}, func() *metav1.PartialObjectMetadata { return new(metav1.PartialObjectMetadata) })
	runtime.AddVersion(shelves, runtime.Version[*metav1.PartialObjectMetadata, *metav1.PartialObjectMetadata]{
		GroupVersion: gv1,
		New:          func() *metav1.PartialObjectMetadata { return new(metav1.PartialObjectMetadata) },
		NewList:      func() apiruntime.Object { return new(metav1.PartialObjectMetadataList) },
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

// coreScheme has shelves in the group without a name.
func coreScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	b := runtime.NewBuilder()
	shelves := runtime.AddHub(b, schema.GroupKind{Kind: "Shelf"}, func() *metav1.PartialObjectMetadata { return new(metav1.PartialObjectMetadata) })
	runtime.AddVersion(shelves, runtime.Version[*metav1.PartialObjectMetadata, *metav1.PartialObjectMetadata]{
		GroupVersion: schema.GroupVersion{Version: "v1"},
		New:          func() *metav1.PartialObjectMetadata { return new(metav1.PartialObjectMetadata) },
		NewList:      func() apiruntime.Object { return new(metav1.PartialObjectMetadataList) },
	})
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return scheme
}

// The verbs as functions.
type (
	getFunc    func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error)
	listFunc   func(context.Context, string, metav1.ListOptions) (rest.View, error)
	watchFunc  func(context.Context, string, metav1.ListOptions) (rest.Stream, error)
	createFunc func(context.Context, *rest.Request, rest.Name, rest.Body, metav1.CreateOptions) (rest.View, error)
	updateFunc func(context.Context, *rest.Request, rest.Name, rest.Body, metav1.UpdateOptions) (rest.View, bool, error)
	deleteFunc func(context.Context, *rest.Request, rest.Name, metav1.DeleteOptions) (rest.View, error)
)

func (f getFunc) Get(ctx context.Context, n rest.Name, o metav1.GetOptions) (rest.View, error) {
	return f(ctx, n, o)
}

func (f listFunc) List(ctx context.Context, ns string, o metav1.ListOptions) (rest.View, error) {
	return f(ctx, ns, o)
}

func (f watchFunc) Watch(ctx context.Context, ns string, o metav1.ListOptions) (rest.Stream, error) {
	return f(ctx, ns, o)
}

func (f createFunc) Create(ctx context.Context, req *rest.Request, n rest.Name, obj rest.Body, o metav1.CreateOptions) (rest.View, error) {
	return f(ctx, req, n, obj, o)
}

func (f updateFunc) Update(ctx context.Context, req *rest.Request, n rest.Name, obj rest.Body, o metav1.UpdateOptions) (rest.View, bool, error) {
	return f(ctx, req, n, obj, o)
}

func (f deleteFunc) Delete(ctx context.Context, req *rest.Request, n rest.Name, o metav1.DeleteOptions) (rest.View, error) {
	return f(ctx, req, n, o)
}

// objectView writes an object.
type objectView struct{ obj apiruntime.Object }

func (v objectView) WriteTo(w io.Writer, form rest.Representation) error {
	return serializer.Encode(w, v.obj, serializer.MediaType(form.MediaType), form.Pretty)
}

func aBook(name string) rest.View {
	return objectView{&book{
		TypeMeta:   metav1.TypeMeta{Kind: "Book", APIVersion: gv1.String()},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "ns"},
	}}
}

// viewFunc writes as it likes.
type viewFunc func(io.Writer) error

func (f viewFunc) WriteTo(w io.Writer, _ rest.Representation) error { return f(w) }

// books answers every verb with the name that it was asked for.
func books() rest.Resource {
	return rest.Resource{
		GroupVersion: gv1, Kind: "Book", ListKind: "BookList", Name: "books", Singular: "book",
		ShortNames: []string{"bk"}, Categories: []string{"all"}, Namespaced: true, StorageVersion: gv1,
		Get: getFunc(func(_ context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
			return aBook(n.Name), nil
		}),
		List: listFunc(func(context.Context, string, metav1.ListOptions) (rest.View, error) {
			return objectView{&bookList{TypeMeta: metav1.TypeMeta{Kind: "BookList", APIVersion: gv1.String()}, Items: []book{}}}, nil
		}),
		Watch: watchFunc(func(ctx context.Context, _ string, _ metav1.ListOptions) (rest.Stream, error) {
			return &fakeStream{batches: make(chan []rest.Event)}, nil
		}),
		Create: createFunc(func(_ context.Context, _ *rest.Request, n rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
			return objectView{obj}, nil
		}),
		Update: updateFunc(func(_ context.Context, _ *rest.Request, n rest.Name, obj rest.Body, _ metav1.UpdateOptions) (rest.View, bool, error) {
			return objectView{obj}, n.Name == "new", nil
		}),
		Delete: deleteFunc(func(_ context.Context, _ *rest.Request, n rest.Name, _ metav1.DeleteOptions) (rest.View, error) {
			return objectView{&metav1.Status{
				TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess,
				Details: &metav1.StatusDetails{Name: n.Name, UID: "u-1"},
			}}, nil
		}),
	}
}

// shelves are cluster-scoped and can only be made.
func shelves() rest.Resource {
	return rest.Resource{
		GroupVersion: gv1, Kind: "Shelf", Name: "shelves", Singular: "shelf", StorageVersion: gv1,
		Create: createFunc(func(_ context.Context, _ *rest.Request, _ rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
			return objectView{obj}, nil
		}),
	}
}

// fakeStream gives batches until its channel is closed.
type fakeStream struct {
	batches chan []rest.Event
	err     error // after the last batch; nil is io.EOF
}

func (s *fakeStream) Next(ctx context.Context) ([]rest.Event, error) {
	select {
	case <-ctx.Done():
		return nil, io.EOF
	case batch, ok := <-s.batches:
		if ok {
			return batch, nil
		}
		if s.err != nil {
			return nil, s.err
		}
		return nil, io.EOF
	}
}

func (s *fakeStream) Close() {}

// everybody authenticates as who the header says; nobody without it.
type byHeader struct{}

func (byHeader) Authenticate(req *http.Request) (*auth.User, error) {
	switch name := req.Header.Get("Test-User"); name {
	case "":
		return nil, nil
	case "admin":
		return &auth.User{Name: name, Groups: []string{auth.GroupMasters}}, nil
	default:
		return &auth.User{Name: name}, nil
	}
}

func config(t testing.TB, resources ...rest.Resource) server.Config {
	t.Helper()
	return server.Config{
		Name: "library", Resources: resources, Scheme: newScheme(t), Authenticator: byHeader{},
		Version: server.Version{GitVersion: "v1.37.0", GitCommit: "c0ffee"},
		Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
	}
}

func textLog(w io.Writer) *slog.Logger { return slog.New(slog.NewTextHandler(w, nil)) }

func newServer(t testing.TB, c server.Config) *server.Server {
	t.Helper()
	s, err := server.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// request is one request of the administrator, in a table.
type request struct {
	method string // GET
	path   string
	header map[string]string
	body   string
}

func (r request) build() *http.Request {
	if r.method == "" {
		r.method = http.MethodGet
	}
	req := httptest.NewRequest(r.method, r.path, strings.NewReader(r.body))
	req.Header.Set("Test-User", "admin")
	for key, value := range r.header {
		if value == "" {
			req.Header.Del(key)
			continue
		}
		req.Header.Set(key, value)
	}
	return req
}

func do(h http.Handler, r request) *httptest.ResponseRecorder { return answerTo(h, r.build()) }

func answerTo(h http.Handler, req *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

// wantStatus checks that the answer is a Status, that its code is that of HTTP, and what it says.
func wantStatus(t *testing.T, w *httptest.ResponseRecorder, code int, reason metav1.StatusReason, message string) {
	t.Helper()
	var status metav1.Status
	if err := json.Unmarshal(w.Body.Bytes(), &status); err != nil {
		t.Fatalf("code %d: the body is no JSON: %v\n%s", w.Code, err, w.Body)
	}
	if status.Kind != "Status" || status.APIVersion != "v1" || status.Status != metav1.StatusFailure {
		t.Errorf("not a failure Status: %s", w.Body)
	}
	if w.Code != code || int(status.Code) != code || status.Reason != reason {
		t.Errorf("got HTTP %d, code %d, reason %q; want %d %q\n%s", w.Code, status.Code, status.Reason, code, reason, w.Body)
	}
	if status.Message != message {
		t.Errorf("message\n got: %s\nwant: %s", status.Message, message)
	}
}

func start(t *testing.T, s *server.Server) *httptest.Server {
	t.Helper()
	ts := httptest.NewUnstartedServer(s)
	ts.EnableHTTP2 = true
	ts.TLS = &tls.Config{}
	ts.StartTLS()
	t.Cleanup(ts.Close)
	return ts
}
