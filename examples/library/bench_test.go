package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane"
	v1 "github.com/typeplane/typeplane/examples/library/api/v1"
)

const booksPath = "/apis/library.example.com/v1/namespaces/default/books"

// BenchmarkCreate and BenchmarkUpdate take the whole path: HTTPS with HTTP/2 over loopback,
// decoding, validation, an etcd transaction with its fsync, and back. The object has 3.6 KB of
// protobuf. Client and server share the process, so take the time of a stage from a CPU profile:
//
//	go test ./examples/library -run '^$' -bench Create -cpuprofile cpu.out && go tool pprof -top -cum library.test cpu.out
func BenchmarkCreate(b *testing.B) {
	c := startServer(b)
	body := strings.ReplaceAll(string(encodeBook(b, largeBook("NAME"))), "NAME", "book-%08d")
	b.ResetTimer()
	for i := range b.N {
		c.do(b, http.MethodPost, booksPath, fmt.Appendf(nil, body, i), http.StatusCreated)
	}
}

func BenchmarkUpdate(b *testing.B) {
	c := startServer(b)
	book := largeBook("book")
	c.do(b, http.MethodPost, booksPath, encodeBook(b, book), http.StatusCreated)
	b.ResetTimer()
	for i := range b.N {
		book.Labels = map[string]string{"round": fmt.Sprint(i)}
		c.do(b, http.MethodPut, booksPath+"/book", encodeBook(b, book), http.StatusOK)
	}
}

func BenchmarkGet(b *testing.B) {
	c := startServer(b)
	c.do(b, http.MethodPost, booksPath, encodeBook(b, largeBook("book")), http.StatusCreated)
	b.ResetTimer()
	for b.Loop() {
		c.do(b, http.MethodGet, booksPath+"/book", nil, http.StatusOK)
	}
}

// largeBook has about as many bytes as a pod.
func largeBook(name string) *v1.Book {
	return &v1.Book{
		TypeMeta:   metav1.TypeMeta{APIVersion: "library.example.com/v1", Kind: "Book"},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Annotations: map[string]string{"note": strings.Repeat("n", 3300)}},
		Spec:       v1.BookSpec{Title: "The Go Programming Language", Authors: []string{"Alan A. A. Donovan", "Brian W. Kernighan"}},
	}
}

func encodeBook(b *testing.B, book *v1.Book) []byte {
	data, err := json.Marshal(book)
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// client is an HTTPS client with the admin's certificate.
type client struct {
	http *http.Client
	url  string
}

// startServer runs the server inside this process until the benchmark ends.
func startServer(b *testing.B) *client {
	b.Helper()
	options := typeplane.NewOptions("library")
	options.Serving.SecurePort = 0
	options.Store.DataDir = b.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	exported, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- typeplane.Run(ctx, newServer(), options, out) }()
	b.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			b.Error(err)
		}
	})
	var file string
	if _, err := fmt.Fscanf(exported, "export KUBECONFIG=%s\n", &file); err != nil {
		b.Fatal(err)
	}
	return connect(b, file)
}

func connect(b *testing.B, kubeconfig string) *client {
	b.Helper()
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		b.Fatal(err)
	}
	var config struct {
		Clusters []struct {
			Cluster struct {
				Server string
				CA     []byte `json:"certificate-authority-data"`
			}
		}
		Users []struct {
			User struct {
				Cert []byte `json:"client-certificate-data"`
				Key  []byte `json:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal(data, &config); err != nil {
		b.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.Clusters[0].Cluster.CA)
	pair, err := tls.X509KeyPair(config.Users[0].User.Cert, config.Users[0].User.Key)
	if err != nil {
		b.Fatal(err)
	}
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{pair}},
		ForceAttemptHTTP2: true,
	}
	return &client{http: &http.Client{Transport: transport}, url: config.Clusters[0].Cluster.Server}
}

func (c *client) do(b *testing.B, method, path string, body []byte, want int) {
	b.Helper()
	req, err := http.NewRequest(method, c.url+path, bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != want {
		b.Fatalf("%s %s: %d %s %v", method, path, resp.StatusCode, answer, err)
	}
}
