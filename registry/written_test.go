package registry_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/registrytest"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/memory"
)

// TestWrittenInAnOlderVersion: while servers run that can't read the storage version, writes put an
// older one into the database, and what a write answers is what is read of that afterwards. Then
// the same objects are written in the storage version.
func TestWrittenInAnOlderVersion(t *testing.T) {
	for _, mediaType := range []rest.MediaType{rest.Protobuf, rest.JSON} {
		t.Run(string(mediaType), func(t *testing.T) {
			options := registry.Options{Written: new(registry.Written), StorageMediaType: mediaType}
			options.Written.Set(widget.GVOld)
			resource, db := define(strategy{}), memory.NewDatabase()
			form, err := resource.Form(widget.Scheme(), options)
			if err != nil {
				t.Fatal(err)
			}
			store := memory.New(memory.Config{Database: db, Root: "/registry", Form: form})
			served, err := resource.Serve(widget.Scheme(), store, options)
			if err != nil {
				t.Fatal(err)
			}
			s := &server{t: t, Database: db, v1: served[0], beta: served[1], old: served[2]}
			for i := range 5 {
				name := rest.Name{Namespace: "ns", Name: fmt.Sprint("w", i)}
				made := s.mustCreate(fmt.Sprintf(`{"metadata":{"name":%q},"spec":{"color":"red","options":{"<":%q}}}`, name.Name, strings.Repeat("x", i)))
				checkWritten(t, s, name, made, widget.GVOld)
				made.Labels = map[string]string{"changed": "once"}
				changed, err := updateAt(s, name, made)
				if err != nil {
					t.Fatal(err)
				}
				checkWritten(t, s, name, changed, widget.GVOld)
			}
			if stale := staleIn(t, store); stale != 0 {
				t.Errorf("%d entries are stale as they were written", stale)
			}

			options.Written.Set(schema.GroupVersion{})
			if stale := staleIn(t, store); stale != 5 {
				t.Errorf("%d entries are stale for the storage version, want all 5", stale)
			}
			name := rest.Name{Namespace: "ns", Name: "w3"}
			same, err := updateAt(s, name, s.mustGet(name))
			if err != nil {
				t.Fatal(err)
			}
			checkWritten(t, s, name, same, widget.GV1)
			if stale := staleIn(t, store); stale != 4 {
				t.Errorf("%d entries are stale, want 4", stale)
			}
		})
	}
}

func updateAt(s *server, name rest.Name, obj *widget.V1) (*widget.V1, error) {
	view, _, err := s.v1.Update.Update(ctx, new(rest.Request), name, obj, metav1.UpdateOptions{})
	if err != nil {
		return nil, err
	}
	return read[*widget.V1](s.t, view), nil
}

// checkWritten fails unless the object lies in the version, and is read as it was answered.
func checkWritten(t *testing.T, s *server, name rest.Name, answered *widget.V1, version schema.GroupVersion) {
	t.Helper()
	if raw := s.raw(name); !strings.Contains(raw, version.String()) {
		t.Errorf("%s lies in the database as %q, want version %s", name, raw, version)
	}
	if diff := cmp.Diff(answered, s.mustGet(name)); diff != "" {
		t.Errorf("%s is read otherwise than the write answered: %s", name, diff)
	}
}

func staleIn(t *testing.T, store storage.Interface) (stale int) {
	t.Helper()
	page, err := store.List(ctx, "/", storage.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range page.Entries {
		if e.Stale {
			stale++
		}
	}
	return stale
}

// A version that the resource does not have fails a write, and leaves what is stored alone.
func TestWrittenInNoVersion(t *testing.T) {
	options := registry.Options{Written: new(registry.Written)}
	s := serveWith(t, strategy{}, options, nil)
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	before := s.raw(named)
	options.Written.Set(schema.GroupVersion{Group: "shop.example.com", Version: "v9"})
	obj := s.mustGet(named)
	obj.Labels = map[string]string{"a": "b"}
	if _, err := s.update(obj); err == nil || !strings.Contains(err.Error(), "has no version shop.example.com/v9") {
		t.Errorf("got %v", err)
	}
	if s.raw(named) != before {
		t.Error("something was written")
	}
}

// What is read while an older version is written is what would be read in any case.
func TestReadsWhileAnOlderVersionIsWritten(t *testing.T) {
	options := registry.Options{Written: new(registry.Written)}
	options.Written.Set(widget.GVOld)
	registrytest.RunCanonical(t, registrytest.Config{Scheme: widget.Scheme(), Resource: define(strategy{}), Options: options})
}
