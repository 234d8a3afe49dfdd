package registry_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/runtimetest/widget"
)

// crowd is metadata with n entries of one sort.
func crowd(sort string, n int) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: "w", Namespace: "ns", Labels: map[string]string{}, Annotations: map[string]string{}}
	for i := range n {
		name := fmt.Sprint("example.com/n", i)
		switch sort {
		case "ownerReferences":
			m.OwnerReferences = append(m.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Shelf", Name: "s", UID: types.UID(name)})
		case "finalizers":
			m.Finalizers = append(m.Finalizers, name)
		case "labels":
			m.Labels[name] = ""
		case "annotations":
			m.Annotations[name] = ""
		case "managedFields":
			m.ManagedFields = append(m.ManagedFields, metav1.ManagedFieldsEntry{
				Manager: name, Operation: metav1.ManagedFieldsOperationApply, APIVersion: "shop.example.com/v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{}}`),
			})
		}
	}
	return m
}

// Metadata has at most so many entries of each sort. What is stored with more can be changed and
// deleted, but does not grow.
func TestMetadataIsBounded(t *testing.T) {
	for sort, most := range map[string]int{"ownerReferences": 10_000, "finalizers": 1_000, "labels": 10_000, "annotations": 10_000, "managedFields": 1_000} {
		t.Run(sort, func(t *testing.T) {
			s := serveWith(t, strategy{}, registry.Options{Schemas: widgetSchemas(t)}, nil)
			over := most + 2 // one more than an object that has all, and whose creator became an owner, too
			want := fmt.Sprintf("metadata.%s: Too many: %d: must have at most %d items", sort, over, most)
			_, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, &widget.V1{ObjectMeta: crowd(sort, over)}, metav1.CreateOptions{})
			wantCauses(t, err, want)
			if _, err := s.v1.Create.Create(ctx, new(rest.Request), rest.Name{Namespace: "ns"}, &widget.V1{ObjectMeta: crowd(sort, most)}, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			patch, err := json.Marshal(map[string]any{"metadata": crowd(sort, over)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.update(&widget.V1{ObjectMeta: crowd(sort, over)})
			wantCauses(t, err, want)
			_, _, err = patchAs(s.v1, mergeType, string(patch), metav1.PatchOptions{})
			wantCauses(t, err, want)

			s.Put("/registry/shop.example.com/widgets/ns/w", encodeV1(t, &widget.V1{ObjectMeta: crowd(sort, over)}))
			s.mustPatch(mergeType, `{"spec":{"color":"green"}}`)
			if sort == "finalizers" {
				s.mustPatch(mergeType, `{"metadata":{"finalizers":null}}`)
			}
			s.mustDelete()
			if raw := s.raw(named); raw != "" {
				t.Error("it can't be deleted")
			}
		})
	}
}

// Owner references that say the same are kept once, and the client is told as kube-apiserver tells
// it.
func TestOwnersTwice(t *testing.T) {
	yes := true
	ref := func(uid types.UID) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: "v1", Kind: "Shelf", Name: "s", UID: uid}
	}
	blocking := ref("a")
	blocking.BlockOwnerDeletion = &yes
	again := ref("a")
	again.BlockOwnerDeletion = new(bool)
	*again.BlockOwnerDeletion = true
	twice := []metav1.OwnerReference{ref("a"), ref("b"), ref("a"), blocking, again, ref("b")}
	once := []metav1.OwnerReference{ref("a"), ref("b"), blocking}
	const sent = ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
	const made = ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
	var warnings []string
	req := &rest.Request{Notes: rest.Notes{OnWarning: func(text string) { warnings = append(warnings, text) }}}
	s := serve(t, strategy{})
	object := func() *widget.V1 {
		return &widget.V1{ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "ns", OwnerReferences: slices.Clone(twice)}}
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"ownerReferences": twice}})
	if err != nil {
		t.Fatal(err)
	}
	for _, write := range []struct {
		name, warning string
		do            func() (rest.View, error)
	}{
		{"create", sent + "a, a, b", func() (rest.View, error) {
			return s.v1.Create.Create(ctx, req, rest.Name{Namespace: "ns"}, object(), metav1.CreateOptions{})
		}},
		{"update", sent + "a, a, b", func() (rest.View, error) {
			view, _, err := s.v1.Update.Update(ctx, req, named, object(), metav1.UpdateOptions{})
			return view, err
		}},
		{"patch", made + "a, a, b", func() (rest.View, error) {
			view, _, err := s.v1.Patch.Patch(ctx, req, named, rest.Patch{Type: mergeType, Bytes: patch}, metav1.PatchOptions{})
			return view, err
		}},
	} {
		warnings = nil
		view, err := write.do()
		if err != nil {
			t.Fatal(err)
		}
		if got := read[*widget.V1](t, view).OwnerReferences; fmt.Sprintf("%+v", deref(got)) != fmt.Sprintf("%+v", deref(once)) {
			t.Errorf("%s: %+v", write.name, got)
		}
		if !slices.Equal(warnings, []string{write.warning}) {
			t.Errorf("%s: warnings %q\nwant %q", write.name, warnings, write.warning)
		}
	}

	many := object()
	many.Name, many.OwnerReferences = "many", slices.Repeat([]metav1.OwnerReference{ref("a")}, 100_000)
	warnings = nil
	if _, err := s.v1.Create.Create(ctx, req, rest.Name{Namespace: "ns"}, many, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(warnings) != 1 || !strings.HasSuffix(warnings[0], "a, a and 99979 more") || len(warnings[0]) > 1000 {
		t.Errorf("%d warnings, %.300q", len(warnings), warnings)
	}
}

// deref prints what pointers point to.
func deref(refs []metav1.OwnerReference) (out []string) {
	for _, r := range refs {
		out = append(out, r.String())
	}
	return out
}
