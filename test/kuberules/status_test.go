package kuberules

import (
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/registry/rest"
)

// TestStatusMetadata writes other metadata with the status of each kind: a kube-apiserver and our
// server have to take the same of it.
func TestStatusMetadata(t *testing.T) {
	s := start(t, clusterProgram)
	s.must("POST", "/api/v1/namespaces", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": inNamespace}})
	takenByBoth := map[string]bool{}
	for _, k := range kinds {
		if k.status == nil {
			continue
		}
		doc := read(t, filepath.Join("testdata", strings.TrimPrefix(k.Group+"_", "_")+k.Version+"_"+k.resource+".yaml"))
		stored := s.must("POST", k.path(""), doc)
		name := stored["metadata"].(map[string]any)["name"].(string)
		sent := maps.Clone(stored)
		sent["metadata"] = maps.Clone(stored["metadata"].(map[string]any))
		maps.Copy(sent["metadata"].(map[string]any), map[string]any{
			"labels": map[string]any{"other": "x"}, "annotations": map[string]any{"other": "x"}, "finalizers": []any{"example.com/other"},
			"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "Other", "name": "x", "uid": "x"}},
		})
		theirs := takenByTheirs(t, k, sent, stored)
		answer := s.must("PUT", k.path(name, "status"), sent)
		if ours := taken(&unstructured.Unstructured{Object: answer}); !reflect.DeepEqual(ours, theirs) {
			t.Errorf("a write of the status of a %s of %s writes %v, with a kube-apiserver %v", k.Kind, k.GroupVersion(), ours, theirs)
		}
		takenByBoth[strings.Join(theirs, " ")] = true
		answer["metadata"].(map[string]any)["finalizers"] = nil
		s.must("PUT", k.path(name), answer)
		s.must("DELETE", k.path(name), map[string]any{"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0})
	}
	if len(takenByBoth) < 3 { // everything, nothing, and some of it
		t.Errorf("kinds differ too little to show anything: %q", slices.Sorted(maps.Keys(takenByBoth)))
	}
}

// takenByTheirs are the fields of the metadata that a kube-apiserver writes with a status.
func takenByTheirs(t *testing.T, k kind, sent, stored map[string]any) []string {
	t.Helper()
	obj, err := decode(k, sent)
	if err != nil {
		t.Fatal(err)
	}
	old, err := decode(k, stored)
	if err != nil {
		t.Fatal(err)
	}
	if err := rest.BeforeUpdate(k.status, requestFor(k, true, "status"), obj, old); err != nil {
		t.Fatalf("%s: %v", k.Kind, err)
	}
	return taken(must(meta.Accessor(obj)))
}

// taken are the fields that say what was sent with the status.
func taken(m metav1.Object) (fields []string) {
	if m.GetLabels()["other"] != "" {
		fields = append(fields, "labels")
	}
	if m.GetAnnotations()["other"] != "" {
		fields = append(fields, "annotations")
	}
	if slices.Contains(m.GetFinalizers(), "example.com/other") {
		fields = append(fields, "finalizers")
	}
	if len(m.GetOwnerReferences()) > 0 {
		fields = append(fields, "ownerReferences")
	}
	return fields
}
