package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/examples/library/api/v1alpha1"
	"github.com/typeplane/typeplane/runtime/wire"
)

// TestLongLists: a list that is made piece by piece has the same books in each form, in the version
// that is stored and in another one.
func TestLongLists(t *testing.T) {
	const n, protobuf = 24, "application/vnd.kubernetes.protobuf"
	server := apitest.Start(t, newServer())
	note := strings.Repeat("many words\n", 20_000) // 220 KB: all of them are longer than what is kept in memory
	for i := range n {
		body := fmt.Sprintf(`{"metadata":{"name":"book-%02d","annotations":{"note":%q}},"spec":{"title":"Book %d","isbn":"978-0-441-17271-9"}}`, i, note, i)
		created, err := server.Client.Post(server.URL+booksPath, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		created.Body.Close()
		if created.StatusCode != http.StatusCreated {
			t.Fatal(created.Status)
		}
	}
	for _, version := range []string{"v1", "v1alpha1"} {
		get := func(accept string) []byte {
			req, err := http.NewRequest("GET", server.URL+"/apis/library.example.com/"+version+"/books", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept", accept)
			resp, err := server.Client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			data, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("%s as %s: %s, %v", version, accept, resp.Status, err)
			}
			return data
		}
		message := func(data []byte) []byte {
			envelope, err := wire.ParseEnvelope(data)
			if err != nil {
				t.Fatal(err)
			}
			return envelope.Raw
		}
		whole := get("application/json")
		inJSON, err := yaml.YAMLToJSON(get("application/yaml"))
		if err != nil {
			t.Fatal(err)
		}
		sameDocument(t, version+" as YAML", inJSON, whole)
		var partial metav1.PartialObjectMetadataList
		if err := partial.Unmarshal(message(get(protobuf + ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"))); err != nil {
			t.Fatal(err)
		}
		if len(partial.Items) != n || partial.Items[n-1].Annotations["note"] != note {
			t.Errorf("%s: the metadata of %d books", version, len(partial.Items))
		}
		if version == "v1" {
			continue
		}
		var books v1alpha1.BookList
		if err := books.Unmarshal(message(get(protobuf))); err != nil {
			t.Fatal(err)
		}
		books.SetGroupVersionKind(v1alpha1.SchemeGroupVersion.WithKind("BookList"))
		again, err := json.Marshal(&books)
		if err != nil {
			t.Fatal(err)
		}
		sameDocument(t, version+" as protobuf", again, whole)
	}
}

func sameDocument(t *testing.T, name string, got, want []byte) {
	t.Helper()
	var a, b any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(want, &b); err != nil {
		t.Fatal(err)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Errorf("%s: %d bytes differ from the JSON of %d bytes", name, len(x), len(y))
	}
}
