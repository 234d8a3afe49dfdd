package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/apitest"
	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

// Whoever writes a controller for books tests it against the real server, in the same process.
func TestAgainstAServerInThisTest(t *testing.T) {
	for name, options := range map[string][]apitest.Option{"in memory": nil, "embedded etcd": {apitest.Embedded}} {
		t.Run(name, func(t *testing.T) {
			server := apitest.Start(t, newServer(), options...)
			books := server.URL + "/apis/library.example.com/v1/namespaces/default/books"
			created, err := server.Client.Post(books, "application/json", strings.NewReader(
				`{"metadata":{"name":"dune"},"spec":{"title":"Dune","isbn":"978-0-441-17271-9","authors":["Frank Herbert"]}}`))
			if err != nil {
				t.Fatal(err)
			}
			defer created.Body.Close()
			var book v1.Book
			if err := json.NewDecoder(created.Body).Decode(&book); err != nil || created.StatusCode != http.StatusCreated || book.UID == "" {
				t.Fatalf("%s, %v: %+v", created.Status, err, book)
			}
			if !strings.Contains(string(server.Kubeconfig), server.URL) {
				t.Errorf("the kubeconfig does not name %s", server.URL)
			}
		})
	}
}

// BenchmarkStart is how long a test waits for its server.
func BenchmarkStart(b *testing.B) {
	for name, options := range map[string][]apitest.Option{"memory": nil, "embedded": {apitest.Embedded}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				apitest.Start(b, newServer(), options...)
			}
		})
	}
}
