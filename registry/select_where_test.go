package registry_test

import (
	"context"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
	"github.com/typeplane/typeplane/storage"
)

// hinted notes the hints of lists and watches, and may be not ready.
type hinted struct {
	storage.Interface
	list, watch *storage.Where
	notReady    bool
}

func (h *hinted) List(ctx context.Context, prefix string, opts storage.ListOptions) (storage.Page, error) {
	h.list = opts.Where
	if h.notReady {
		return storage.Page{}, &storage.Error{Code: storage.CodeNotReady, Op: "list", Key: prefix}
	}
	return h.Interface.List(ctx, prefix, opts)
}

func (h *hinted) Watch(ctx context.Context, prefix string, opts storage.WatchOptions) (storage.Watcher, error) {
	h.watch = opts.Where
	return h.Interface.Watch(ctx, prefix, opts)
}

// Selectors tell the store by which value it may narrow lists and watches, if that can be read
// without decoding.
func TestSelectorsNameWhatTheyWant(t *testing.T) {
	var h *hinted
	s := serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface {
		h = &hinted{Interface: store}
		return h
	})
	w := &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w", Labels: map[string]string{"app": "shop"}}, Spec: widget.V1Spec{Color: "red"}}
	if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, w, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	page, err := h.Interface.List(ctx, "/shop.example.com/widgets/", storage.ListOptions{})
	if err != nil || len(page.Entries) != 1 {
		t.Fatal(len(page.Entries), err)
	}
	for _, tc := range []struct {
		in                     rest.Resource
		namespace              string
		labels, fields         string
		attribute, value, read string
	}{
		{s.v1, "ns", "app=blog", "", "label app", "blog", "shop"},
		{s.v1, "ns", "tier!=x,app in (blog)", "", "label app", "blog", "shop"},
		{s.v1, "", "app=shop", "spec.color=green", "field spec.color", "green", "red"},
		{s.v1, "", "", "metadata.name=x", "field metadata.name", "x", "w"},
		{s.v1, "ns", "", "metadata.namespace=ns,spec.color=red", "field spec.color", "red", "red"},
		{s.beta, "ns", "app=blog", "spec.colour=green", "label app", "blog", "shop"},
		{s.beta, "ns", "", "spec.colour=green", "", "", ""},
		{s.v1, "ns", "app in (a,b)", "spec.color!=red", "", "", ""},
		{s.v1, "ns", "app,!tier", "", "", "", ""},
		{s.v1, "ns", "", "", "", "", ""},
	} {
		opts := metav1.ListOptions{LabelSelector: tc.labels, FieldSelector: tc.fields}
		if _, err := tc.in.List.List(ctx, tc.namespace, opts); err != nil {
			t.Fatal(err)
		}
		stream, err := tc.in.Watch.Watch(ctx, tc.namespace, opts)
		if err != nil {
			t.Fatal(err)
		}
		stream.Close()
		for verb, got := range map[string]*storage.Where{"list": h.list, "watch": h.watch} {
			if tc.attribute == "" {
				if got != nil {
					t.Errorf("%s %+v: the hint is %q", verb, opts, got.Attribute)
				}
				continue
			}
			if got == nil || got.Attribute != tc.attribute || got.Value != tc.value {
				t.Errorf("%s %+v: the hint is %+v", verb, opts, got)
				continue
			}
			if read, ok, err := got.Read(*page.Entries[0]); read != tc.read || !ok || err != nil {
				t.Errorf("%s %+v: reads %q, %v, %v", verb, opts, read, ok, err)
			}
			if _, _, err := got.Read(storage.Entry{Value: []byte("rubbish")}); err == nil {
				t.Errorf("%s %+v: reads rubbish", verb, opts)
			}
		}
	}
}

// While the store is being filled, clients are told to come back, and when.
func TestNotReady(t *testing.T) {
	s := serveThrough(t, strategy{}, func(store storage.Interface) storage.Interface {
		return &hinted{Interface: store, notReady: true}
	})
	_, err := s.v1.List.List(ctx, "ns", metav1.ListOptions{})
	seconds, ok := apierrors.SuggestsClientDelay(err)
	if !apierrors.IsTooManyRequests(err) || !ok || seconds != 1 {
		t.Errorf("list: %v, after %d s", err, seconds)
	}
	if _, err := s.v1.Watch.Watch(ctx, "ns", metav1.ListOptions{}); !apierrors.IsTooManyRequests(err) {
		t.Errorf("watch: %v", err)
	}
}
