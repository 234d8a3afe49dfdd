package server_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/internal/server"
)

// New reports every mistake, not only the first.
func TestMistakesInConfig(t *testing.T) {
	c := config(t, books(), books())
	nameless := shelves()
	nameless.Singular = ""
	noListKind := books()
	noListKind.Name, noListKind.ListKind = "papers", ""
	unknown := shelves()
	unknown.Name, unknown.Kind = "papers2", "Paper"
	c.Resources = append(c.Resources, nameless, noListKind, unknown)
	c.Version = server.Version{GitVersion: "1.37"}
	_, err := server.New(c)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		`server: Config.Version.GitVersion: "1.37" is not a version like v1.37.0`,
		`server: resource library.example.com/v1, Resource=books is there twice`,
		`server: resource "shelves" of kind "Shelf" in "library.example.com/v1": name, kind, singular name and version must be set`,
		`server: resource library.example.com/v1, Resource=papers: can be listed, but has no list kind`,
		`server: resource library.example.com/v1, Resource=papers2: the scheme does not know its kind Paper`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%s\nis missing in\n%v", want, err)
		}
	}

	if _, err := server.New(server.Config{}); err == nil || !strings.Contains(err.Error(), "Config.Scheme is nil") {
		t.Errorf("without a scheme: %v", err)
	}
}

func TestMistakesInOpenAPI(t *testing.T) {
	for text, want := range map[string]string{
		`[]`: "server: OpenAPI of library.example.com/v1: the schemas are no JSON object: ",
		`{}`: "no schema says x-kubernetes-group-version-kind library.example.com/v1, Kind=Book; run gen",
		`{"a":{"x-kubernetes-group-version-kind":{}}}`: "schema a: ",
	} {
		c := config(t, books())
		c.OpenAPI = map[schema.GroupVersion]string{gv1: text}
		if _, err := server.New(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
