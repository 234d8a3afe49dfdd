package declared

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/typeplane/typeplane/examples/kubernetes"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
)

// TestTwice sends new objects to a server: what a tag says of a field, no rule in Go says again.
func TestTwice(t *testing.T) {
	c := servertest.StartProgram(t, kubernetes.Program(features.Extras{}))
	for i, k := range kinds {
		source, refused := newSource(*seed+int64(i)), 0
		path := pathOf(t, c, k.make())
		if path == "" {
			t.Logf("%s is not served", k.name)
			continue
		}
		for n := range *objects / 5 {
			obj := k.make()
			source.fill(obj)
			introduce(t, obj, fmt.Sprintf("n%d", n))
			text, err := json.Marshal(obj)
			if err != nil {
				t.Fatal(err)
			}
			code, answer := c.Do(http.MethodPost, path, string(text))
			if code != http.StatusUnprocessableEntity {
				continue
			}
			refused++
			found := causes(t, answer)
			tags := map[string]int{}
			for _, err := range k.ours(t.Context(), operation.Operation{Type: operation.Create}, obj, nil) {
				tags[err.Field]++
			}
			for f, n := range tags {
				if len(found[f]) > n {
					t.Errorf("%s: %s is wrong %d times by its tags: %.1000q", k.name, f, n, found[f])
				}
			}
		}
		if refused == 0 && k.name != "PersistentVolumeClaim" { // its tags are about its status
			t.Errorf("no %s was refused: nothing is shown of it", k.name)
		}
	}
}

// introduce gives an object a name. A pod names nobody that would have to be there.
func introduce(t *testing.T, obj runtime.Object, name string) {
	t.Helper()
	reflect.ValueOf(obj).Elem().FieldByName("ObjectMeta").Set(reflect.ValueOf(metav1.ObjectMeta{Name: name}))
	gvks, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvks[0])
	if pod, ok := obj.(*corev1.Pod); ok {
		pod.Spec.ServiceAccountName, pod.Spec.DeprecatedServiceAccount, pod.Spec.PriorityClassName, pod.Spec.RuntimeClassName = "", "", "", nil
		pod.Spec.Priority, pod.Spec.PreemptionPolicy = nil, nil
	}
}

// pathOf is where objects of a kind are made, "" if they are not served.
func pathOf(t *testing.T, c servertest.Client, obj runtime.Object) string {
	t.Helper()
	gvks, _, err := scheme.Scheme.ObjectKinds(obj)
	if err != nil {
		t.Fatal(err)
	}
	root := "/apis/" + gvks[0].GroupVersion().String()
	if gvks[0].Group == "" {
		root = "/api/" + gvks[0].Version
	}
	_, text := c.Do(http.MethodGet, root, "")
	var list metav1.APIResourceList
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for _, r := range list.APIResources {
		switch {
		case r.Kind != gvks[0].Kind || strings.Contains(r.Name, "/"):
		case r.Namespaced:
			return root + "/namespaces/default/" + r.Name
		default:
			return root + "/" + r.Name
		}
	}
	return ""
}

// causes are what a server finds wrong, by field.
func causes(t *testing.T, answer string) map[string][]string {
	t.Helper()
	var status metav1.Status
	if err := json.Unmarshal([]byte(answer), &status); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	out := map[string][]string{}
	for _, cause := range status.Details.Causes {
		out[cause.Field] = append(out[cause.Field], cause.Message)
	}
	return out
}
