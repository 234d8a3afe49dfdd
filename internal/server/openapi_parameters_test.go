package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/registry/rest"
)

// recorded is a resource with all verbs; note gets the options of each call.
func recorded(note func(options ...any)) rest.Resource {
	r := books()
	r.Get = getFunc(func(_ context.Context, n rest.Name, o metav1.GetOptions) (rest.View, error) {
		note(o)
		return aBook(n.Name), nil
	})
	r.List = listFunc(func(_ context.Context, _ string, o metav1.ListOptions) (rest.View, error) {
		note("list", o)
		return aBook("list"), nil
	})
	r.Watch = watchFunc(func(_ context.Context, _ string, o metav1.ListOptions) (rest.Stream, error) {
		note("watch", o)
		return endedStream(), nil
	})
	r.Create = createFunc(func(_ context.Context, _ *rest.Request, n rest.Name, _ rest.Body, o metav1.CreateOptions) (rest.View, error) {
		note(o)
		return aBook(n.Name), nil
	})
	r.Update = updateFunc(func(_ context.Context, _ *rest.Request, n rest.Name, _ rest.Body, o metav1.UpdateOptions) (rest.View, bool, error) {
		note(o)
		return aBook(n.Name), false, nil
	})
	r.Patch = patchFunc(func(_ context.Context, _ *rest.Request, n rest.Name, _ rest.Patch, o metav1.PatchOptions) (rest.View, bool, error) {
		note(o)
		return aBook(n.Name), false, nil
	})
	r.PatchTypes = []types.PatchType{types.ApplyYAMLPatchType}
	r.Delete = deleteFunc(func(_ context.Context, _ *rest.Request, n rest.Name, o metav1.DeleteOptions) (rest.View, error) {
		note(o)
		return aBook(n.Name), nil
	})
	r.DeleteCollection = deleteCollectionFunc(func(_ context.Context, _ *rest.Request, _ string, o metav1.DeleteOptions, l metav1.ListOptions) (rest.View, error) {
		note(o, l)
		return aBook("deleted"), nil
	})
	return r
}

// samples are values of parameters, for those whose type is not enough.
var samples = map[string]string{
	"continue": "abc", "dryRun": "All", "fieldSelector": "metadata.name=a", "labelSelector": "a=b", "fieldValidation": "Strict",
	"resourceVersionMatch": "NotOlderThan", "propagationPolicy": "Orphan", "resourceVersion": "5", "fieldManager": "me",
}

// TestPublishedParameters: each parameter of each operation in the OpenAPI documents makes a
// difference in the options of the verb that answers, or in the answer.
func TestPublishedParameters(t *testing.T) {
	var seen string
	listed := recorded(func(options ...any) { seen += encoded(t, options) })
	listed.Name, listed.Singular, listed.ShortNames, listed.Categories, listed.Watch = "papers", "paper", nil, nil, nil
	listed.PatchTypes = []types.PatchType{types.MergePatchType}
	s := withOpenAPI(t, recorded(func(options ...any) { seen += encoded(t, options) }), listed)
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(do(s, request{path: documentURL(t, s)}).Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	ask := func(method, path, query string) string {
		seen = ""
		header := map[string]string{"Content-Type": "application/json"}
		body := `{"apiVersion":"library.example.com/v1","kind":"Book","metadata":{"name":"name"},"unknown":1}`
		switch {
		case method == http.MethodPatch && strings.Contains(path, "/books/"):
			header["Content-Type"] = "application/apply-patch+yaml"
		case method == http.MethodPatch:
			header["Content-Type"] = "application/merge-patch+json"
		case method != http.MethodPost && method != http.MethodPut:
			body = ""
		}
		w := do(s, request{method: method, path: path + "?" + query, header: header, body: body})
		return fmt.Sprint(w.Code, w.Header()["Warning"], w.Body, seen)
	}
	operations := 0
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		item := doc.Paths[path]
		shared := parametersIn(t, item["parameters"])
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if item[method] == nil {
				continue
			}
			var op struct{ Parameters json.RawMessage }
			if err := json.Unmarshal(item[method], &op); err != nil {
				t.Fatal(err)
			}
			at := strings.NewReplacer("{namespace}", "ns", "{name}", "name").Replace(path)
			operations++
			for _, p := range append(parametersIn(t, op.Parameters), shared...) {
				if p.In != "query" {
					continue
				}
				value := samples[p.Name]
				if value == "" {
					value = map[string]string{"string": "true", "boolean": "true", "integer": "7"}[p.Schema.Type]
				}
				// A parameter may need others beside it.
				differs := slices.ContainsFunc([]string{"", "watch=true&", "resourceVersion=5&", "sendInitialEvents=true&", "fieldManager=me&", "watch=true&sendInitialEvents=true&"}, func(with string) bool {
					return ask(strings.ToUpper(method), at, with) != ask(strings.ToUpper(method), at, with+p.Name+"="+value)
				})
				if !differs {
					t.Errorf("%s %s: parameter %s makes no difference", method, path, p.Name)
				}
			}
		}
	}
	if operations < 15 {
		t.Errorf("only %d operations", operations)
	}
}

func encoded(t *testing.T, values []any) string {
	t.Helper()
	data, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

type publishedParameter struct {
	Name, In string
	Schema   struct{ Type string }
}

func parametersIn(t *testing.T, data json.RawMessage) (list []publishedParameter) {
	t.Helper()
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(data, &list); err != nil {
		t.Fatal(err)
	}
	return list
}
