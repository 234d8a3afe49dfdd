package server_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

var scaleKind = schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}

// bookParts are the subresources of books: a status of the kind itself, and a scale of another one.
func bookParts() (status, scale rest.Resource) {
	main := books()
	status = rest.Resource{GroupVersion: gv1, Kind: "Book", Name: "books", Singular: "book", Namespaced: true, Subresource: "status", Get: main.Get, Update: main.Update}
	scale = status
	scale.Subresource, scale.BodyKind = "scale", scaleKind
	scale.NewBody = func() rest.Body { return new(autoscalingv1.Scale) }
	scale.Get = getFunc(func(_ context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
		return objectView{&autoscalingv1.Scale{TypeMeta: metav1.TypeMeta{Kind: "Scale", APIVersion: "autoscaling/v1"}, ObjectMeta: metav1.ObjectMeta{Name: n.Name}}}, nil
	})
	scale.Update = updateFunc(func(_ context.Context, _ *rest.Request, _ rest.Name, obj rest.Body, _ metav1.UpdateOptions) (rest.View, bool, error) {
		obj.(*autoscalingv1.Scale).Status.Replicas = 7
		return objectView{obj}, false, nil
	})
	return status, scale
}

func TestSubresourcePaths(t *testing.T) {
	status, scale := bookParts()
	s := newServer(t, config(t, status, books(), scale))
	const b = "/apis/library.example.com/v1/namespaces/ns/books/b"
	const five = `{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"b"},"spec":{"replicas":5}}`
	for _, tc := range []struct {
		name, method, path, body string
		contentType              string
		code                     int
		want                     string
	}{
		{"read the status", "GET", b + "/status", "", "", 200, `"kind":"Book"`},
		{"write the status", "PUT", b + "/status", goodBook, "application/json", 200, `"title":"T"`},
		{"read the scale", "GET", b + "/scale", "", "", 200, `{"kind":"Scale","apiVersion":"autoscaling/v1"`},
		{"write the scale", "PUT", b + "/scale", five, "application/json", 200, `"spec":{"replicas":5},"status":{"replicas":7}`},
		{"as YAML", "PUT", b + "/scale", "metadata: {name: b}\nspec: {replicas: 5}", "application/yaml", 200, `"replicas":5`},
		{"without a content type", "PUT", b + "/scale", five, "", 200, `"replicas":5`},
		{"without saying what it is", "PUT", b + "/scale", `{"metadata":{"name":"b"}}`, "", 200, `"kind":"Scale"`},
		{"the object at the scale", "PUT", b + "/scale", goodBook, "", 400, "the API version in the data (library.example.com/v1) does not match the expected API version (autoscaling/v1)"},
		{"another kind at the scale", "PUT", b + "/scale", `{"kind":"Book","apiVersion":"autoscaling/v1","metadata":{"name":"b"}}`, "", 400, `Book in version \"v1\" cannot be handled as a Scale: the path ` + b + `/scale takes objects of kind Scale only`},
		{"a scale at the object", "PUT", b, five, "", 400, "no kind \\\"Scale\\\" is registered"},
		{"a scale that is none", "PUT", b + "/scale", `{"metadata":{"name":"b"},"spec":{"replicas":"x"}}`, "", 400, "cannot unmarshal string into Go struct field"},
		{"an unknown field", "PUT", b + "/scale?fieldValidation=Strict", `{"metadata":{"name":"b"},"spec":{"replica":1}}`, "", 400, `unknown field \"spec.replica\"`},
		{"of another name", "PUT", b + "/scale", strings.Replace(five, `"b"`, `"c"`, 1), "", 400, "the name of the object (c) does not match the name on the URL (b)"},
		{"unknown", "GET", b + "/statuz", "", "", 404, "this server has no books/statuz: the subresources of books here are scale and status"},
		{"below one", "GET", b + "/status/more", "", "", 404, "the server could not find the requested resource"},
		{"of a kind without", "GET", "/apis/library.example.com/v1alpha1/namespaces/ns/books/b/status", "", "", 404, ""},
		{"delete", "DELETE", b + "/status", "", "", 405, "the server does not allow this method on the requested resource"},
		{"create", "POST", b + "/scale", five, "", 405, "the server does not allow this method on the requested resource"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := do(s, request{method: tc.method, path: tc.path, body: tc.body, header: map[string]string{"Content-Type": tc.contentType}})
			if w.Code != tc.code || !strings.Contains(w.Body.String(), tc.want) {
				t.Errorf("%d, want %d with %s:\n%s", w.Code, tc.code, tc.want, w.Body)
			}
			if w.Code == 405 && w.Header().Get("Allow") != "GET, HEAD, PUT" {
				t.Errorf("Allow: %s", w.Header().Get("Allow"))
			}
		})
	}
}

func TestSubresourcesInDiscovery(t *testing.T) {
	status, scale := bookParts()
	s := newServer(t, config(t, status, scale, books(), shelves()))
	w := do(s, request{path: "/apis/library.example.com/v1"})
	const legacy = `"storageVersionHash":"Iw6rpGyq6cI="},` +
		`{"name":"books/scale","singularName":"","namespaced":true,"group":"autoscaling","version":"v1","kind":"Scale","verbs":["get","update"]},` +
		`{"name":"books/status","singularName":"","namespaced":true,"kind":"Book","verbs":["get","update"]},` +
		`{"name":"shelves",`
	if !strings.Contains(w.Body.String(), legacy) {
		t.Errorf("legacy: want %s\n%s", legacy, w.Body)
	}
	w = do(s, request{path: "/apis", header: map[string]string{"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}})
	const aggregated = `"categories":["all"],"subresources":[` +
		`{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","update"]},` +
		`{"subresource":"status","responseKind":{"group":"","version":"","kind":"Book"},"verbs":["get","update"]}]},` +
		`{"resource":"shelves"`
	if !strings.Contains(w.Body.String(), aggregated) {
		t.Errorf("aggregated: want %s\n%s", aggregated, w.Body)
	}
}

func TestSubresourcesInOpenAPI(t *testing.T) {
	status, scale := bookParts()
	c := config(t, books(), status, scale)
	c.OpenAPI = map[schema.GroupVersion]string{gv1: schemas}
	if _, err := server.New(c); err == nil || !strings.Contains(err.Error(), "no schema says x-kubernetes-group-version-kind autoscaling/v1, Kind=Scale; run gen") {
		t.Errorf("without the schema of Scale: %v", err)
	}
	c.OpenAPI[gv1] = strings.TrimSuffix(strings.TrimSpace(schemas), "}") + `, "io.k8s.api.autoscaling.v1.Scale":
		{"type":"object","x-kubernetes-group-version-kind":[{"group":"autoscaling","version":"v1","kind":"Scale"}]}}`
	s := newServer(t, c)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(do(s, request{path: documentURL(t, s)}).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	const item = "/apis/library.example.com/v1/namespaces/{namespace}/books/{name}"
	got := map[string]string{}
	for path, methods := range doc.Paths {
		if !strings.HasPrefix(path, item+"/") {
			continue
		}
		for method, text := range methods {
			if method == "parameters" {
				continue
			}
			var op operationDoc
			if err := json.Unmarshal(text, &op); err != nil {
				t.Fatal(err)
			}
			got[method+strings.TrimPrefix(path, item)] = op.OperationID + " " + op.Kind.Group + " " + op.Kind.Kind
			if op.RequestBody != nil {
				got[method+strings.TrimPrefix(path, item)] += " " + op.RequestBody.Content["application/json"].Schema.Ref
			}
		}
	}
	want := map[string]string{
		"get/status": "readLibraryExampleComV1NamespacedBookStatus library.example.com Book",
		"put/status": "replaceLibraryExampleComV1NamespacedBookStatus library.example.com Book #/components/schemas/com.example.library.v1.Book",
		"get/scale":  "readLibraryExampleComV1NamespacedBookScale autoscaling Scale",
		"put/scale":  "replaceLibraryExampleComV1NamespacedBookScale autoscaling Scale #/components/schemas/io.k8s.api.autoscaling.v1.Scale",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestMistakesOfSubresources(t *testing.T) {
	status, scale := bookParts()
	listed, unmade, unnamed := status, scale, status
	listed.Subresource, listed.List, listed.ListKind = "listed", books().List, "BookList"
	unmade.Subresource, unmade.NewBody = "unmade", nil
	unnamed.Subresource, unnamed.NewBody = "unnamed", scale.NewBody
	for want, resources := range map[string][]rest.Resource{
		"there is no resource that it is a subresource of":                            {status},
		"books/status is there twice":                                                 {books(), status, status},
		"it has no List, Watch or DeleteCollection":                                   {books(), listed},
		"the scheme does not know the kind of its bodies, autoscaling/v1, Kind=Scale": {books(), unmade},
		"it makes bodies of a kind that it does not name: set BodyKind":               {books(), unnamed},
	} {
		if _, err := server.New(config(t, resources...)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Somebody who may not touch a resource is told which subresource they asked for.
func TestSubresourcesAreAuthorized(t *testing.T) {
	status, scale := bookParts()
	s := newServer(t, config(t, books(), status, scale))
	w := do(s, request{path: "/apis/library.example.com/v1/namespaces/ns/books/b/scale", header: map[string]string{"Test-User": "eve"}})
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `cannot get resource \"books/scale\"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
