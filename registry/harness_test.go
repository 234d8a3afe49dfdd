package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/runtime/serializer"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

var (
	ctx   = context.Background()
	named = rest.Name{Namespace: "ns", Name: "w"}
)

// server is the test resource over a database in memory.
type server struct {
	t *testing.T
	*memory.Database
	v1, beta, old rest.Resource
	betaStatus    rest.Resource // where it is served
}

type strategy = registry.Strategy[*widget.Widget]

func serve(t *testing.T, s strategy) *server { return serveThrough(t, s, nil) }

// serveThrough is serve with something between the registry and the store.
func serveThrough(t *testing.T, s strategy, wrap func(storage.Interface) storage.Interface) *server {
	t.Helper()
	return serveWith(t, s, registry.Options{}, wrap)
}

func serveWith(t *testing.T, s strategy, opts registry.Options, wrap func(storage.Interface) storage.Interface) *server {
	t.Helper()
	srv, _ := serveDefinition(t, definition(s), opts, wrap)
	return srv
}

// serveDefinition also returns all that is served.
func serveDefinition(t *testing.T, def registry.Definition[*widget.Widget], opts registry.Options, wrap func(storage.Interface) storage.Interface) (*server, []rest.Resource) {
	t.Helper()
	scheme, resource := widget.Scheme(), registry.Define(def)
	form, err := resource.Form(scheme, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	db := memory.NewDatabase()
	var store storage.Interface = memory.New(memory.Config{Database: db, Root: "/registry", Form: form, ProgressInterval: 1})
	if wrap != nil {
		store = wrap(store)
	}
	served, err := resource.Serve(scheme, store, opts)
	if err != nil {
		t.Fatal(err)
	}
	return &server{t: t, Database: db, v1: served[0], beta: served[1], old: served[2]}, served
}

func (s *server) raw(name rest.Name) string {
	value, _ := s.Database.Get("/registry/shop.example.com/widgets/" + name.Namespace + "/" + name.Name)
	return string(value)
}

// parse makes an object of version gv of JSON without kind and apiVersion.
func parse(t *testing.T, gv schema.GroupVersion, data string) runtime.Object {
	t.Helper()
	d, err := serializer.Decode(widget.Scheme(), []byte(data), serializer.JSON, gv.WithKind("Widget"))
	if err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if err := d.StrictError(); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return d.Object
}

// mustCreate creates an object in ns and returns it as v1.
func (s *server) mustCreate(data string) *widget.V1 {
	s.t.Helper()
	view, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, parse(s.t, widget.GV1, data), metav1.CreateOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return read[*widget.V1](s.t, view)
}

func (s *server) mustGet(name rest.Name) *widget.V1 {
	s.t.Helper()
	view, err := s.v1.Get.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return read[*widget.V1](s.t, view)
}

func (s *server) update(obj runtime.Object) (*widget.V1, error) {
	s.t.Helper()
	view, _, err := s.v1.Update.Update(ctx, new(rest.Request), named, obj, metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	return read[*widget.V1](s.t, view), nil
}

// mustDelete deletes the object "w", expecting no error.
func (s *server) mustDelete() rest.View {
	s.t.Helper()
	view, err := s.v1.Delete.Delete(ctx, new(rest.Request), named, metav1.DeleteOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return view
}

// read decodes what a view writes as JSON.
func read[T any](t *testing.T, view rest.View) T {
	t.Helper()
	var out T
	if err := json.Unmarshal([]byte(text(t, view)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func text(t *testing.T, view rest.View) string {
	t.Helper()
	var b bytes.Buffer
	if err := view.WriteTo(&b, rest.Representation{MediaType: rest.JSON}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// status returns the API status that err is.
func status(t *testing.T, err error) metav1.Status {
	t.Helper()
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		t.Fatalf("not an API status: %v", err)
	}
	return s.Status()
}

// wantStatus checks code, reason and message of an error.
func wantStatus(t *testing.T, err error, code int32, reason metav1.StatusReason, message string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %d %s", code, reason)
	}
	s := status(t, err)
	if s.Code != code || s.Reason != reason {
		t.Errorf("status %d %s, want %d %s: %s", s.Code, s.Reason, code, reason, s.Message)
	}
	if s.Message != message {
		t.Errorf("message\n  %s\nwant\n  %s", s.Message, message)
	}
}
