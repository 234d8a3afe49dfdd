package registry_test

import (
	"context"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/storage"
)

// asked notes what a store was asked for last.
type asked struct {
	storage.Interface
	list, watch         string
	listOpts, watchOpts any
}

func (a *asked) List(ctx context.Context, selection string, opts storage.ListOptions) (storage.Page, error) {
	a.list, a.listOpts = selection, opts
	return a.Interface.List(ctx, selection, opts)
}

func (a *asked) Watch(ctx context.Context, selection string, opts storage.WatchOptions) (storage.Watcher, error) {
	a.watch, a.watchOpts = selection, opts
	return a.Interface.Watch(ctx, selection, opts)
}

// Whoever wants one object gets it by its key: the store reads no other, and wakes nobody for the
// changes of others.
func TestOneObjectIsAskedForByItsKey(t *testing.T) {
	var a *asked
	s := serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface {
		a = &asked{Interface: store}
		return a
	})
	for _, name := range []string{"w", "w2", "x"} {
		s.mustCreate(`{"metadata":{"name":"` + name + `","labels":{"app":"` + name + `"}}}`)
	}
	const prefix = "/shop.example.com/widgets/"
	for _, tc := range []struct {
		namespace, fields, labels string
		want                      string // the selection
		names                     string
	}{
		{"ns", "metadata.name=w", "", prefix + "ns/w", "w"},
		{"ns", "metadata.name=w", "app=w", prefix + "ns/w", "w"},
		{"ns", "metadata.name=w", "app=x", prefix + "ns/w", ""},
		{"", "metadata.namespace=ns,metadata.name=w", "", prefix + "ns/w", "w"},
		{"ns", "metadata.name=none", "", prefix + "ns/none", ""},
		{"other", "metadata.name=w", "", prefix + "other/w", ""},
		{"", "metadata.name=w", "", prefix, "w"},
		{"ns", "metadata.name!=w", "", prefix + "ns/", "w2x"},
		{"ns", "metadata.name=", "", prefix + "ns/", ""},
		{"ns", "metadata.name=..", "", prefix + "ns/", ""},
		{"other", "metadata.namespace=ns,metadata.name=w", "", prefix, ""},
	} {
		opts := metav1.ListOptions{FieldSelector: tc.fields, LabelSelector: tc.labels, Limit: 2}
		names, meta, err := s.list(tc.namespace, opts)
		if err != nil || names != tc.names || a.list != tc.want {
			t.Errorf("%+v: listed %s and got %q, %v", tc, a.list, names, err)
		}
		if meta.ResourceVersion != storage.FormatRevision(s.Revision()) || meta.Continue != "" {
			t.Errorf("%+v: %+v", tc, meta)
		}
		stream, err := s.v1.Watch.Watch(ctx, tc.namespace, opts)
		if err != nil {
			t.Fatal(err)
		}
		stream.Close()
		if a.list != tc.want || a.watch != tc.want {
			t.Errorf("%+v: watched %s after a list of %s", tc, a.watch, a.list)
		}
		if storage.IsPrefix(tc.want) {
			continue
		}
		// A key needs no other help.
		if got := a.listOpts.(storage.ListOptions); got.Where != nil || got.Start != "" || got.Limit != 0 {
			t.Errorf("%+v: listed with %+v", tc, got)
		}
		if got := a.watchOpts.(storage.WatchOptions); got.Where != nil {
			t.Errorf("%+v: watched with %+v", tc, got)
		}
	}
}

// A watch of one object sees all its lives, and nothing of objects with a like name.
func TestWatchOfOneObject(t *testing.T) {
	s := serve(t, strategy{})
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	stream, err := s.v1.Watch.Watch(ctx, "ns", metav1.ListOptions{FieldSelector: "metadata.name=w"})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	s.mustCreate(`{"metadata":{"name":"w2"}}`)
	s.mustDelete()
	s.mustCreate(`{"metadata":{"name":"w"}}`)
	want := []rest.EventType{rest.Added, rest.Deleted, rest.Added}
	for len(want) > 0 {
		events, err := stream.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, ev := range events {
			if len(want) == 0 || ev.Type != want[0] {
				t.Fatalf("%v, want %v", ev.Type, want)
			}
			want = want[1:]
		}
	}
}
