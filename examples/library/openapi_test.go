package main

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/apitest"
)

// TestOpenAPIFile: the file that gen prints has what the server publishes of the kinds of its own.
func TestOpenAPIFile(t *testing.T) {
	text, err := os.ReadFile("docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	server := apitest.Start(t, program())
	published := map[string]any{}
	for _, version := range []string{"v1", "v1alpha1"} {
		maps.Copy(published, schemasOf(t, get(t, server, "/openapi/v3/apis/library.example.com/"+version)))
	}
	file := schemasOf(t, text)
	if file["com.example.library.v1alpha1.Book"] == nil {
		t.Error("the file does not have all versions")
	}
	for name, schema := range file {
		if diff := cmp.Diff(published[name], schema); diff != "" {
			t.Errorf("%s (-server +file):\n%s", name, diff)
		}
		delete(published, name)
	}
	for name := range published {
		if !strings.HasPrefix(name, "io.k8s.apimachinery.pkg.") { // which the server answers with for any kind
			t.Errorf("the file has no %s", name)
		}
	}
}

// schemasOf are the schemas of a document, by name.
func schemasOf(t *testing.T, document []byte) map[string]any {
	t.Helper()
	var d struct {
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		t.Fatal(err)
	}
	return d.Components.Schemas
}

// get is the answer of a server to its administrator.
func get(t *testing.T, server *apitest.Server, path string) []byte {
	t.Helper()
	response, err := server.Client.Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s", path, response.Status)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return body
}
