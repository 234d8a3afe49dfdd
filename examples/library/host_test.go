package main

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"

	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/internal/certtest"
)

// host is a cluster as far as an API server behind its aggregator sees one. It reviews tokens and
// access, says whom it trusts, and sends the requests of its users on.
type host struct {
	proxies, clients *certtest.Authority
	// kubeconfig is the file with which the server reaches the cluster.
	kubeconfig string
	proxy      *httptest.Server

	mu      sync.Mutex // guards reviews
	reviews []authorizationv1.SubjectAccessReviewSpec
}

func newHost(t *testing.T) *host {
	t.Helper()
	h := &host{proxies: certtest.New(t), clients: certtest.New(t)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /apis/authentication.k8s.io/v1/tokenreviews", h.reviewToken)
	mux.HandleFunc("POST /apis/authorization.k8s.io/v1/subjectaccessreviews", h.reviewAccess)
	mux.HandleFunc("GET /api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", h.configMap)
	mux.HandleFunc("GET /api/v1/namespaces/kube-system/configmaps", func(w http.ResponseWriter, req *http.Request) {
		w.(http.Flusher).Flush()
		<-req.Context().Done() // a watch in which nothing happens
	})
	mux.HandleFunc("GET /api/v1/namespaces/default", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"kind":"Namespace","metadata":{"name":"default"}}`)
	})
	mux.HandleFunc("GET /api/v1/namespaces/going", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"kind":"Namespace","metadata":{"name":"going","deletionTimestamp":"2026-11-23T12:00:00Z"}}`)
	})
	core := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Authorization") != "Bearer of-the-server" {
			http.Error(w, "who is this?", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, req)
	}))
	t.Cleanup(func() {
		core.CloseClientConnections()
		core.Close()
	})
	h.kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf("current-context: host\nclusters: [{name: host, cluster: {server: %q, certificate-authority-data: %s}}]\n"+
		"contexts: [{name: host, context: {cluster: host, user: library}}]\nusers: [{name: library, user: {token: of-the-server}}]\n",
		core.URL, base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: core.Certificate().Raw})))
	if err := os.WriteFile(h.kubeconfig, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *host) reviewToken(w http.ResponseWriter, req *http.Request) {
	var review authenticationv1.TokenReview
	if json.NewDecoder(req.Body).Decode(&review) == nil && review.Spec.Token == "robots-token" {
		review.Status = authenticationv1.TokenReviewStatus{Authenticated: true, User: authenticationv1.UserInfo{
			Username: "system:serviceaccount:default:robot", Groups: []string{"system:serviceaccounts"},
		}}
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(review)
}

// reviewAccess lets writers do everything, and all others read.
func (h *host) reviewAccess(w http.ResponseWriter, req *http.Request) {
	var review authorizationv1.SubjectAccessReview
	if err := json.NewDecoder(req.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	spec := review.Spec
	h.mu.Lock()
	h.reviews = append(h.reviews, spec)
	h.mu.Unlock()
	reads := spec.NonResourceAttributes != nil || slices.Contains([]string{"get", "list", "watch"}, spec.ResourceAttributes.Verb)
	review.Status.Allowed = slices.Contains(spec.Groups, "system:authenticated") && (reads || slices.Contains(spec.Groups, "writers"))
	if !review.Status.Allowed {
		review.Status.Reason = spec.User + " only reads"
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(review)
}

func (h *host) configMap(w http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "extension-apiserver-authentication", "namespace": "kube-system", "resourceVersion": "1"},
		"data": map[string]any{
			"client-ca-file":                     string(h.clients.PEM),
			"requestheader-client-ca-file":       string(h.proxies.PEM),
			"requestheader-allowed-names":        `["aggregator"]`,
			"requestheader-username-headers":     `["X-Remote-User"]`,
			"requestheader-uid-headers":          `["X-Remote-Uid"]`,
			"requestheader-group-headers":        `["X-Remote-Group"]`,
			"requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
		},
	})
}

func (h *host) lastReview() authorizationv1.SubjectAccessReviewSpec {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.reviews[len(h.reviews)-1]
}

func (h *host) reviewsOf(user string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, spec := range h.reviews {
		if spec.User == user {
			n++
		}
	}
	return n
}

// aggregate starts the proxy in front of a server. It believes the name that a client gives as its
// token.
func (h *host) aggregate(t *testing.T, server *apitest.Server) {
	t.Helper()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	config := server.Client.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.Certificates = []tls.Certificate{*h.proxies.Client(t, "aggregator")}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	h.proxy = httptest.NewTLSServer(&httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			user := strings.TrimPrefix(r.In.Header.Get("Authorization"), "Bearer ")
			header := r.Out.Header
			header.Del("Authorization")
			header.Set("X-Remote-User", user)
			header.Set("X-Remote-Uid", "u-"+user)
			header["X-Remote-Group"] = []string{map[string]string{"jane": "writers"}[user], "system:authenticated"}
			header["X-Remote-Extra-Example.com%2fproject"] = []string{"a b", "c"}
		},
	})
	t.Cleanup(func() {
		h.proxy.CloseClientConnections()
		h.proxy.Close()
		transport.CloseIdleConnections()
	})
}

// send sends a request of a user through the proxy.
func (h *host) send(t *testing.T, user, method, path, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, h.proxy.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+user)
	req.Header.Set("Content-Type", "application/json")
	resp, err := h.proxy.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

func (h *host) ask(t *testing.T, user, method, path, body string) (code int, answer string) {
	t.Helper()
	resp := h.send(t, user, method, path, body)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(data)
}
