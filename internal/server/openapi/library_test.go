package openapi

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server/discovery"
	"github.com/typeplane/typeplane/registry/rest"
)

// TestBodyOfAnotherVersion: what is sent to a subresource may be of a version that is not the one
// of the resource. Its model is in the document, and so is what that refers to.
func TestBodyOfAnotherVersion(t *testing.T) {
	alpha, v1 := schema.GroupVersion{Group: "g.example.com", Version: "v1alpha1"}, schema.GroupVersion{Group: "g.example.com", Version: "v1"}
	schemas := map[schema.GroupVersion]string{
		alpha: `{"a.Loan":{"type":"object","properties":{"to":{"$ref":"#/components/schemas/a.Reader"}},"x-kubernetes-group-version-kind":[{"group":"g.example.com","version":"v1alpha1","kind":"Loan"}]},"a.Reader":{"type":"string"},"a.Other":{"type":"string"}}`,
		v1: `{"v1.Book":{"type":"object","x-kubernetes-group-version-kind":[{"group":"g.example.com","version":"v1","kind":"Book"}]},
			"v1.BookList":{"type":"object","x-kubernetes-group-version-kind":[{"group":"g.example.com","version":"v1","kind":"BookList"}]}}`,
	}
	books := &rest.Resource{GroupVersion: v1, Name: "books", Kind: "Book", ListKind: "BookList", List: lister{}}
	lend := &rest.Resource{GroupVersion: v1, Name: "books", Subresource: "lend", Kind: "Loan", BodyKind: alpha.WithKind("Loan"), Create: creator{}}
	groups := []discovery.Group{{Name: v1.Group, Versions: []discovery.Version{{
		GroupVersion: v1, Resources: []*rest.Resource{books}, Parts: map[string][]*rest.Resource{"books": {lend}},
	}}}}
	documents, err := Describe(Info{"test", "v1"}, groups, schemas)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if d.About != "/apis/g.example.com/v1" {
			continue
		}
		var document struct {
			Components struct{ Schemas map[string]json.RawMessage }
		}
		if err := json.Unmarshal(d.Body, &document); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]bool{"v1.Book": true, "v1.BookList": true, "a.Loan": true, "a.Reader": true, "a.Other": false} {
			if got := document.Components.Schemas[name] != nil; got != want {
				t.Errorf("the model %s is there: %v, want %v", name, got, want)
			}
		}
		for _, reference := range []string{"v1.BookList", "a.Loan"} {
			if !strings.Contains(string(d.Body), `{"$ref":"#/components/schemas/`+reference+`"}`) {
				t.Errorf("no operation refers to %s", reference)
			}
		}
		return
	}
	t.Error("there is no document")
}

type (
	lister  struct{ rest.Lister }
	creator struct{ rest.Creator }
)
