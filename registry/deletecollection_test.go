package registry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

// deleteAll deletes from the collection and returns the names in the answer.
func deleteAll(t *testing.T, s *server, opts metav1.DeleteOptions, list metav1.ListOptions) (names string, meta metav1.ListMeta, err error) {
	t.Helper()
	view, err := s.v1.DeleteCollection.DeleteCollection(ctx, new(rest.Request), "ns", opts, list)
	if err != nil {
		return "", metav1.ListMeta{}, err
	}
	got := read[widget.V1List](t, view)
	return namesIn(got.Items), got.ListMeta, nil
}

func namesIn(items []widget.V1) string {
	var names []string
	for _, w := range items {
		names = append(names, w.Name)
	}
	return strings.Join(names, " ")
}

func (s *server) left() string {
	s.t.Helper()
	view, err := s.v1.List.List(ctx, "", metav1.ListOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	return namesIn(read[widget.V1List](s.t, view).Items)
}

func TestDeleteCollection(t *testing.T) {
	for name, tc := range map[string]struct {
		opts          metav1.DeleteOptions
		list          metav1.ListOptions
		deleted, left string
	}{
		"all of a namespace": {metav1.DeleteOptions{}, metav1.ListOptions{}, "a b c f", "other f"},
		"by label":           {metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "odd"}, "a c", "other b f"},
		"by field":           {metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "spec.color=green"}, "b", "other a c f"},
		"by name":            {metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "metadata.name=c"}, "c", "other a b f"},
		"a page":             {metav1.DeleteOptions{}, metav1.ListOptions{Limit: 2}, "a b", "other c f"},
		"from any state":     {metav1.DeleteOptions{}, metav1.ListOptions{ResourceVersion: "0"}, "a b c f", "other f"},
		"dry run":            {metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}, metav1.ListOptions{}, "a b c f", "other a b c f"},
		"nothing":            {metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "none"}, "", "other a b c f"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, strategy{})
			if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "a-ns"}, parse(t, widget.GV1, `{"metadata":{"name":"other"}}`), metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			s.mustCreate(`{"metadata":{"name":"a","labels":{"odd":""}}}`)
			s.mustCreate(`{"metadata":{"name":"b"},"spec":{"color":"green"}}`)
			s.mustCreate(`{"metadata":{"name":"c","labels":{"odd":""}}}`)
			s.mustCreate(`{"metadata":{"name":"f","finalizers":["example.com/f"]}}`)
			before := s.Revision()
			deleted, meta, err := deleteAll(t, s, tc.opts, tc.list)
			if err != nil {
				t.Fatal(err)
			}
			if deleted != tc.deleted || s.left() != tc.left {
				t.Errorf("deleted %q, left %q; want %q, %q", deleted, s.left(), tc.deleted, tc.left)
			}
			if meta.ResourceVersion != fmt.Sprint(before) || (meta.Continue != "") != (tc.list.Limit > 0) {
				t.Errorf("%+v at revision %d", meta, before)
			}
			if left := meta.RemainingItemCount; tc.list.Limit > 0 && (left == nil || *left != 2) || tc.list.Limit == 0 && left != nil {
				t.Errorf("remaining: %v", left)
			}
			if tc.opts.DryRun == nil && strings.Contains(tc.deleted, "f") && s.mustGet(rest.Name{Namespace: "ns", Name: "f"}).DeletionTimestamp == nil {
				t.Error("f has a finalizer and is not marked")
			}
		})
	}
}

func TestDeleteCollectionOfManyPages(t *testing.T) {
	s := serve(t, strategy{})
	for i := range 1203 {
		s.mustCreate(fmt.Sprintf(`{"metadata":{"name":"w%04d"}}`, i))
	}
	deleted, meta, err := deleteAll(t, s, metav1.DeleteOptions{}, metav1.ListOptions{})
	if err != nil || strings.Count(deleted, "w") != 1203 || meta.Continue != "" || s.left() != "" {
		t.Errorf("%v: %d deleted, %+v, left %q", err, strings.Count(deleted, "w"), meta, s.left())
	}
}

// meddling does something before the first deletion.
type meddling struct {
	storage.Interface
	before *func()
}

func (m meddling) Delete(ctx context.Context, key string, check storage.CheckDelete) (storage.Entry, error) {
	if before := *m.before; before != nil {
		*m.before = nil
		before()
	}
	return m.Interface.Delete(ctx, key, check)
}

func TestDeleteCollectionWhileOthersWrite(t *testing.T) {
	var before func()
	s := serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface { return meddling{store, &before} })
	for _, name := range []string{"a", "b", "c"} {
		s.mustCreate(`{"metadata":{"name":"` + name + `"}}`)
	}
	before = func() {
		for _, name := range []string{"a", "b"} {
			if _, err := s.v1.Delete.Delete(ctx, new(rest.Request), rest.Name{Namespace: "ns", Name: name}, metav1.DeleteOptions{}); err != nil {
				t.Error(err)
			}
		}
		s.mustCreate(`{"metadata":{"name":"b"}}`) // not the one in the list
	}
	deleted, _, err := deleteAll(t, s, metav1.DeleteOptions{}, metav1.ListOptions{})
	if err != nil || deleted != "c" || s.left() != "b" {
		t.Errorf("%v: deleted %q, left %q", err, deleted, s.left())
	}
}

func TestDeleteCollectionRefused(t *testing.T) {
	s := serve(t, strategy{})
	first := s.mustCreate(`{"metadata":{"name":"a"}}`)
	second := s.mustCreate(`{"metadata":{"name":"b"}}`)

	// Preconditions hold for every object.
	_, _, err := deleteAll(t, s, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &first.UID}}, metav1.ListOptions{})
	wantStatus(t, err, 409, "Conflict", fmt.Sprintf(`Operation cannot be fulfilled on widgets.shop.example.com "b": Precondition failed: UID in precondition: %s, UID in object meta: %s`, first.UID, second.UID))
	if s.left() != "b" {
		t.Errorf("left %q", s.left())
	}
	_, _, err = deleteAll(t, s, metav1.DeleteOptions{}, metav1.ListOptions{FieldSelector: "spec.size=1"})
	wantStatus(t, err, 400, "BadRequest", "field label not supported: spec.size")
	_, _, err = deleteAll(t, s, metav1.DeleteOptions{}, metav1.ListOptions{Continue: "x"})
	if status(t, err).Code != 400 {
		t.Error(err)
	}
}

// TestDeleteCollectionDenied: a conflict that admission sees is none with another object of the
// name. The object stays, so the client is told.
func TestDeleteCollectionDenied(t *testing.T) {
	chain := new(admission.Chain)
	chain.Set([]admission.Plugin{{Validate: func(_ context.Context, r *admission.Request) error {
		if r.Operation == admission.Delete && r.Name == "b" {
			return apierrors.NewConflict(schema.GroupResource{Resource: "widgets"}, r.Name, errors.New("it is in use"))
		}
		return nil
	}}})
	s := serveWith(t, strategy{}, registry.Options{Admission: chain}, nil)
	for _, name := range []string{"a", "b", "c"} {
		s.mustCreate(`{"metadata":{"name":"` + name + `"}}`)
	}
	_, _, err := deleteAll(t, s, metav1.DeleteOptions{}, metav1.ListOptions{})
	wantStatus(t, err, 409, "Conflict", `Operation cannot be fulfilled on widgets "b": it is in use`)
	if s.left() != "b c" {
		t.Errorf("left %q", s.left())
	}
}
