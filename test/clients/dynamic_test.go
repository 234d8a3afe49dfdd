package clients

import (
	"context"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/pager"
)

var books = schema.GroupVersionResource{Group: "library.example.com", Version: "v1", Resource: "books"}

func book(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "library.example.com/v1",
		"kind":       "Book",
		"metadata":   map[string]any{"name": name, "labels": map[string]any{"app": "test"}},
		"spec":       map[string]any{"title": "Title of " + name, "authors": []any{"A", "B"}},
	}}
}

// TestDynamic uses a kind that the client has no types of, in both of its versions.
func TestDynamic(t *testing.T) {
	s, ctx := start(t, "library"), t.Context()
	client, err := dynamic.NewForConfig(s.config)
	must(t, err)
	served := client.Resource(books).Namespace("default")
	_, err = served.Create(ctx, book("a"), metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	must(t, err)
	wrong := book("wrong")
	must(t, unstructured.SetNestedField(wrong.Object, "x", "spec", "pages"))
	if _, err := served.Create(ctx, wrong, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}); !apierrors.IsBadRequest(err) {
		t.Errorf("an unknown field: %v", err)
	}

	older := client.Resource(books.GroupResource().WithVersion("v1alpha1")).Namespace("default")
	seen, err := older.Get(ctx, "a", metav1.GetOptions{})
	must(t, err)
	if author, _, _ := unstructured.NestedString(seen.Object, "spec", "author"); author != "A; B" {
		t.Errorf("v1alpha1: %v", seen.Object)
	}
	if _, err := served.Patch(ctx, "a", types.MergePatchType, []byte(`{"spec":{"copies":7}}`), metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
	apply := book("a")
	unstructured.RemoveNestedField(apply.Object, "spec")
	must(t, unstructured.SetNestedField(apply.Object, "Shelved", "spec", "title"))
	if _, err := served.Apply(ctx, "a", apply, metav1.ApplyOptions{FieldManager: "me"}); !apierrors.IsConflict(err) {
		t.Errorf("apply over another manager's title: %v", err)
	}
	applied, err := served.Apply(ctx, "a", apply, metav1.ApplyOptions{FieldManager: "me", Force: true})
	must(t, err)
	if title, _, _ := unstructured.NestedString(applied.Object, "spec", "title"); title != "Shelved" {
		t.Errorf("applied: %v", applied.Object)
	}
	must(t, served.Delete(ctx, "a", metav1.DeleteOptions{}))
	if _, err := served.Get(ctx, "a", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestPager reads a list in pages while it changes: the pages are of one revision.
func TestPager(t *testing.T) {
	const n = 60
	s, ctx := start(t, "library"), t.Context()
	client, err := dynamic.NewForConfig(s.config)
	must(t, err)
	served := client.Resource(books).Namespace("default")
	for i := range n {
		_, err := served.Create(ctx, book(fmt.Sprintf("b%02d", i)), metav1.CreateOptions{})
		must(t, err)
	}
	pages := 0
	p := pager.New(func(ctx context.Context, opts metav1.ListOptions) (runtime.Object, error) {
		if pages++; pages == 2 {
			// What comes and goes now is not of this list.
			if err := served.Delete(ctx, "b59", metav1.DeleteOptions{}); err != nil {
				return nil, err
			}
			if _, err := served.Create(ctx, book("b30-late"), metav1.CreateOptions{}); err != nil {
				return nil, err
			}
		}
		return served.List(ctx, opts)
	})
	p.PageSize, p.PageBufferSize = 7, 0
	var names []string
	must(t, p.EachListItem(ctx, metav1.ListOptions{}, func(obj runtime.Object) error {
		names = append(names, obj.(*unstructured.Unstructured).GetName())
		return nil
	}))
	if len(names) != n || pages != 9 || names[n-1] != "b59" {
		t.Errorf("%d pages of %v", pages, names)
	}
}

// TestMetadata lists, patches and deletes objects of which the client only ever sees the metadata.
func TestMetadata(t *testing.T) {
	s, ctx := start(t, "library"), t.Context()
	client, err := dynamic.NewForConfig(s.config)
	must(t, err)
	for _, name := range []string{"a", "b"} {
		_, err := client.Resource(books).Namespace("default").Create(ctx, book(name), metav1.CreateOptions{})
		must(t, err)
	}
	partial, err := metadata.NewForConfig(s.config)
	must(t, err)
	served := partial.Resource(books).Namespace("default")
	list, err := served.List(ctx, metav1.ListOptions{LabelSelector: "app=test"})
	must(t, err)
	if len(list.Items) != 2 || list.Items[0].Name != "a" || list.Items[0].UID == "" || list.ResourceVersion == "" {
		t.Errorf("list: %+v", list)
	}
	patched, err := served.Patch(ctx, "a", types.MergePatchType, []byte(`{"metadata":{"labels":{"app":"other"}}}`), metav1.PatchOptions{})
	must(t, err)
	if got, err := served.Get(ctx, "a", metav1.GetOptions{}); err != nil || got.Labels["app"] != "other" || got.ResourceVersion != patched.ResourceVersion {
		t.Errorf("%v %+v", err, got)
	}
	must(t, served.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app=test"}))
	if list, err := served.List(ctx, metav1.ListOptions{}); err != nil || len(list.Items) != 1 {
		t.Errorf("%v %+v", err, list)
	}
}

// TestDiscovery reads what both kinds of discovery say, and they agree.
func TestDiscovery(t *testing.T) {
	s := start(t, "cluster")
	client, err := discovery.NewDiscoveryClientForConfig(s.config)
	must(t, err)
	_, aggregated, err := client.ServerGroupsAndResources()
	must(t, err)
	client.UseLegacyDiscovery = true
	_, legacy, err := client.ServerGroupsAndResources()
	must(t, err)
	said := func(lists []*metav1.APIResourceList) map[string]bool {
		all := map[string]bool{}
		for _, list := range lists {
			for _, r := range list.APIResources {
				all[fmt.Sprintf("%s %s %v %s %v %v %v", list.GroupVersion, r.Name, r.Namespaced, r.Kind, r.Verbs, r.ShortNames, r.Categories)] = true
			}
		}
		return all
	}
	a, l := said(aggregated), said(legacy)
	if len(a) != len(l) || len(a) == 0 {
		t.Errorf("%d resources aggregated, %d not", len(a), len(l))
	}
	for line := range a {
		if !l[line] {
			t.Errorf("aggregated discovery alone says %s", line)
		}
	}
}
