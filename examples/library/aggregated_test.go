package main

import (
	"bufio"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/certtest"
)

const books = "/apis/library.example.com/v1/namespaces/default/books"

// behind starts the library behind an aggregator, by the flags of docs/aggregated.md.
func behind(t *testing.T) (*host, *apitest.Server) {
	t.Helper()
	h := newHost(t)
	server := apitest.Start(t, program(), func(o *typeplane.Options) {
		o.Delegation.AuthenticationKubeconfig, o.Delegation.AuthorizationKubeconfig = h.kubeconfig, h.kubeconfig
	})
	h.aggregate(t, server)
	return h, server
}

const dune = `{"metadata":{"name":"dune"},"spec":{"title":"Dune","isbn":"978-0-441-17271-9","authors":["Frank Herbert"]}}`

// TestAggregated: users of the cluster are known here, and may do what the cluster allows.
func TestAggregated(t *testing.T) {
	h, _ := behind(t)
	if code, body := h.ask(t, "jane", http.MethodPost, books, dune); code != http.StatusCreated {
		t.Fatalf("create: %d %s", code, body)
	}
	want := authorizationv1.SubjectAccessReviewSpec{
		User: "jane", UID: "u-jane", Groups: []string{"writers", "system:authenticated"},
		Extra:              map[string]authorizationv1.ExtraValue{"example.com/project": {"a b", "c"}},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: "default", Verb: "create", Group: "library.example.com", Version: "v1", Resource: "books"},
	}
	if diff := cmp.Diff(want, h.lastReview()); diff != "" {
		t.Errorf("the cluster was asked (-want +got)\n%s", diff)
	}
	for range 3 {
		if code, body := h.ask(t, "rita", http.MethodGet, books+"/dune", ""); code != http.StatusOK {
			t.Errorf("get: %d %s", code, body)
		}
	}
	if n := h.reviewsOf("rita"); n != 1 {
		t.Errorf("three requests were %d reviews", n)
	}
	code, body := h.ask(t, "rita", http.MethodDelete, books+"/dune", "")
	if code != http.StatusForbidden || !strings.Contains(body, `User \"rita\" cannot delete resource \"books\" in API group \"library.example.com\" in the namespace \"default\": rita only reads`) {
		t.Errorf("delete: %d %s", code, body)
	}
}

// TestClustersNamespaces: nothing is made where the cluster would not find it when it empties the
// namespace.
func TestClustersNamespaces(t *testing.T) {
	h, _ := behind(t)
	in := func(namespace string) string { return strings.Replace(books, "default", namespace, 1) }
	if code, body := h.ask(t, "jane", http.MethodPost, in("none"), dune); code != http.StatusNotFound || !strings.Contains(body, `namespaces \"none\" not found`) {
		t.Errorf("in a namespace that is missing: %d %s", code, body)
	}
	code, body := h.ask(t, "jane", http.MethodPost, in("going"), dune)
	if code != http.StatusForbidden || !strings.Contains(body, "because it is being terminated") || !strings.Contains(body, `"reason":"NamespaceTerminating"`) {
		t.Errorf("in one that is on its way out: %d %s", code, body)
	}
	if code, body := h.ask(t, "jane", http.MethodPost, "/apis/library.example.com/v1/shelves", `{"metadata":{"name":"west"}}`); code != http.StatusCreated {
		t.Errorf("in none: %d %s", code, body)
	}
	server := apitest.Start(t, program(), func(o *typeplane.Options) {
		o.Delegation.AuthenticationKubeconfig, o.Delegation.AuthorizationKubeconfig = h.kubeconfig, h.kubeconfig
		o.Admission.Disable = []string{"NamespaceLifecycle"}
	})
	h.aggregate(t, server)
	if code, body := h.ask(t, "jane", http.MethodPost, in("none"), dune); code != http.StatusCreated {
		t.Errorf("without the plug-in: %d %s", code, body)
	}
}

// TestOnlyTheProxyIsBelieved: the headers of a front proxy are worth nothing without its
// certificate.
func TestOnlyTheProxyIsBelieved(t *testing.T) {
	h, server := behind(t)
	forged := http.Header{"X-Remote-User": {"jane"}, "X-Remote-Group": {"system:masters"}, "X-Remote-Uid": {"0"}}
	for name, tc := range map[string]struct {
		cert   *tls.Certificate
		header http.Header
		code   int
		user   string
	}{
		"no certificate":                   {header: forged, code: 401},
		"one of another authority":         {cert: certtest.New(t).Client(t, "aggregator"), header: forged, code: 401},
		"another name":                     {cert: h.proxies.Client(t, "other"), header: forged, code: 401},
		"a client of the cluster":          {cert: h.clients.Client(t, "rita"), header: forged, code: 200, user: "rita"},
		"the proxy, for nobody":            {cert: h.proxies.Client(t, "aggregator"), header: http.Header{"X-Remote-Group": {"system:masters"}}, code: 401},
		"the proxy, for rita":              {cert: h.proxies.Client(t, "aggregator"), header: http.Header{"X-Remote-User": {"rita"}}, code: 200, user: "rita"},
		"a token of the cluster":           {header: http.Header{"Authorization": {"Bearer robots-token"}}, code: 200, user: "system:serviceaccount:default:robot"},
		"a token that the cluster refuses": {header: http.Header{"Authorization": {"Bearer stolen"}}, code: 401},
	} {
		config := server.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
		config.Certificates = nil
		if tc.cert != nil {
			config.Certificates = []tls.Certificate{*tc.cert}
		}
		transport := &http.Transport{TLSClientConfig: config}
		defer transport.CloseIdleConnections()
		req, err := http.NewRequest(http.MethodGet, server.URL+books, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header = tc.header
		resp, err := transport.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		resp.Body.Close()
		if resp.StatusCode != tc.code {
			t.Errorf("%s: %s, want %d", name, resp.Status, tc.code)
		}
		if tc.user != "" && h.reviewsOf(tc.user) == 0 {
			t.Errorf("%s: the cluster was not asked about %s", name, tc.user)
		}
	}
	if h.reviewsOf("jane") > 0 {
		t.Error("somebody passed for jane")
	}
}

// TestDiscoveryThroughTheAggregator sends what kube-apiserver's aggregator sends by itself.
func TestDiscoveryThroughTheAggregator(t *testing.T) {
	h, server := behind(t)
	config := server.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = []tls.Certificate{*h.proxies.Client(t, "aggregator")}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	masters := http.Header{"X-Remote-User": {"system:kube-aggregator"}, "X-Remote-Group": {"system:masters"}}
	for path, tc := range map[string]struct {
		header      http.Header
		accept      string
		contentType string
		has         string
	}{
		"/apis/library.example.com/v1": {masters, "", "application/json", `"kind":"APIResourceList"`},
		"/apis":                        {masters, aggregated, aggregated, `"version":"v1alpha1"`},
		"/openapi/v2":                  {http.Header{"X-Remote-User": {"system:aggregator"}}, "application/json", "application/json", "com.example.library.v1.Book"},
		"/openapi/v3":                  {http.Header{"X-Remote-User": {"system:aggregator"}}, "application/json", "application/json", "apis/library.example.com/v1"},
		"/openapi/v3/apis/library.example.com/v1": {http.Header{"X-Remote-User": {"system:aggregator"}}, "application/json", "application/json", "com.example.library.v1.Book"},
	} {
		var tag string
		for _, want := range []int{http.StatusOK, http.StatusNotModified} {
			req, err := http.NewRequest(http.MethodGet, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header = tc.header.Clone()
			if tc.accept != "" {
				req.Header.Set("Accept", tc.accept)
			}
			if tag != "" {
				req.Header.Set("If-None-Match", tag)
			}
			resp, err := transport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != want || err != nil {
				t.Fatalf("%s: %s, %v: %s", path, resp.Status, err, body)
			}
			if got := resp.Header.Get("Content-Type"); want == http.StatusOK && (got != tc.contentType || !strings.Contains(string(body), tc.has)) {
				t.Errorf("%s: %s without %s", path, got, tc.has)
			}
			if tag = resp.Header.Get("Etag"); tag == "" {
				break // nothing to compare with
			}
		}
		if tag == "" && path != "/apis/library.example.com/v1" && path != "/openapi/v3" {
			t.Errorf("%s has no ETag: the aggregator reads it whole each minute", path)
		}
	}
	// As any user sees it, through the proxy.
	for _, path := range []string{"/apis/library.example.com/v1", "/apis", "/openapi/v2", "/openapi/v3"} {
		if code, body := h.ask(t, "rita", http.MethodGet, path, ""); code != http.StatusOK {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// TestWatchThroughTheAggregator: an event is there when it happens, and not when the stream is
// over.
func TestWatchThroughTheAggregator(t *testing.T) {
	h, _ := behind(t)
	resp := h.send(t, "rita", http.MethodGet, books+"?watch=true&allowWatchBookmarks=true", "")
	defer resp.Body.Close()
	events := bufio.NewScanner(resp.Body)
	for _, name := range []string{"one", "two"} {
		if code, body := h.ask(t, "jane", http.MethodPost, books, strings.Replace(dune, "dune", name, 1)); code != http.StatusCreated {
			t.Fatalf("%d %s", code, body)
		}
		for {
			if !events.Scan() {
				t.Fatalf("the watch ended: %v", events.Err())
			}
			var event struct {
				Type   string
				Object struct{ Metadata struct{ Name string } }
			}
			if err := json.Unmarshal(events.Bytes(), &event); err != nil {
				t.Fatal(err)
			}
			if event.Type == "BOOKMARK" {
				continue
			}
			if event.Type != "ADDED" || event.Object.Metadata.Name != name {
				t.Errorf("%s %s, want %s", event.Type, event.Object.Metadata.Name, name)
			}
			break
		}
	}
}
