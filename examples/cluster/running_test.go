package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"sigs.k8s.io/yaml"

	"github.com/typeplane/typeplane"
)

// running is the server of this program, as main runs it, in a data directory that another one may
// have used before.
type running struct {
	t      *testing.T
	dir    string
	url    string
	http   *http.Client
	noCert *http.Client // without a certificate; see bare
	stop   func()
}

// firstLine gets what the server prints when it answers.
type firstLine chan string

func (f firstLine) Write(p []byte) (int, error) { f <- string(p); return len(p), nil }

func run(t *testing.T, dir string, change func(*typeplane.Options)) *running {
	t.Helper()
	o := typeplane.NewOptions("cluster")
	o.Store.DataDir, o.Serving.SecurePort, o.Store.MigrationRate = dir, 0, 0 // tests look at what is stored
	if change != nil {
		change(o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(firstLine, 1), make(chan error, 1)
	go func() { done <- typeplane.Run(ctx, program(), o, ready) }()
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	r := &running{t: t, dir: dir}
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		r.http.CloseIdleConnections()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	r.connect(filepath.Join(dir, "admin.kubeconfig"))
	t.Cleanup(r.stop)
	return r
}

// connect makes a client of a kubeconfig.
func (r *running) connect(kubeconfig string) {
	r.t.Helper()
	data, err := os.ReadFile(kubeconfig)
	if err != nil {
		r.t.Fatal(err)
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
				Certificate []byte `json:"client-certificate-data"`
				Key         []byte `json:"client-key-data"`
			}
		}
	}
	if err := yaml.Unmarshal(data, &config); err != nil || len(config.Clusters) != 1 || len(config.Users) != 1 {
		r.t.Fatalf("%v in\n%s", err, data)
	}
	cert, err := tls.X509KeyPair(config.Users[0].User.Certificate, config.Users[0].User.Key)
	if err != nil {
		r.t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(config.Clusters[0].Cluster.CA)
	r.url = config.Clusters[0].Cluster.Server
	r.http = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{cert}, RootCAs: roots}, ForceAttemptHTTP2: true}}
}

// makeNamespace makes the namespace of the samples, and waits for the service account without which
// it has no pods.
func (r *running) makeNamespace() {
	r.t.Helper()
	r.must("POST", "/api/v1/namespaces", asJSON, sample(r.t, "namespace.yaml"))
	await(r.t, func() bool {
		code, _ := r.do("GET", path("v1", "serviceaccounts", "default"), asJSON, nil)
		return code == http.StatusOK
	})
}

// do sends a request and returns the answer, whatever it is.
func (r *running) do(method, path, accept string, body []byte) (code int, answer []byte) {
	r.t.Helper()
	req, err := http.NewRequest(method, r.url+path, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	if bytes.HasPrefix(body, []byte("apiVersion")) {
		req.Header.Set("Content-Type", map[bool]string{true: "application/apply-patch+yaml", false: "application/yaml"}[method == http.MethodPatch])
	}
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// must is do for requests that are answered as they should be.
func (r *running) must(method, path, accept string, body []byte) []byte {
	r.t.Helper()
	code, answer := r.do(method, path, accept, body)
	if code >= 300 {
		r.t.Fatalf("%s %s: %d %s", method, path, code, answer)
	}
	return answer
}

// sample reads a file of samples/.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("samples", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// inEtcd reads a key as anybody could: through the unix socket in the data directory.
func (r *running) inEtcd(key string) []byte {
	r.t.Helper()
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"unix://" + filepath.Join(r.dir, "etcd.sock")}, DialTimeout: time.Minute, Logger: zap.NewNop()})
	if err != nil {
		r.t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	got, err := client.Get(ctx, key)
	if err != nil || len(got.Kvs) != 1 {
		r.t.Fatalf("%s: %v, %v", key, got, err)
	}
	return got.Kvs[0].Value
}

// path is where the API has the objects of a resource in the namespace of the samples.
func path(groupVersion, resource string, rest ...string) string {
	prefix := "/apis/"
	if groupVersion == "v1" {
		prefix = "/api/"
	}
	return prefix + groupVersion + "/namespaces/apiserver-sandbox/" + strings.Join(append([]string{resource}, rest...), "/")
}
