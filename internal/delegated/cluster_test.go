package delegated

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/certtest"
)

// request is one over a connection with a client certificate of ca.
func request(t *testing.T, ca *certtest.Authority, name string, header http.Header) *http.Request {
	t.Helper()
	return &http.Request{Header: header.Clone(), TLS: &tls.ConnectionState{PeerCertificates: []*x509.Certificate{ca.Client(t, name).Leaf}}}
}

func configMapText(version string, data map[string]string) string {
	text, err := json.Marshal(map[string]any{
		"kind": "ConfigMap", "metadata": map[string]any{"name": configMapName, "resourceVersion": version}, "data": data,
	})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func trustData(proxies, clients *certtest.Authority) map[string]string {
	return map[string]string{
		"client-ca-file":                     string(clients.PEM),
		"requestheader-client-ca-file":       string(proxies.PEM),
		"requestheader-allowed-names":        `["aggregator"]`,
		"requestheader-username-headers":     `["X-Remote-User"]`,
		"requestheader-group-headers":        `["X-Remote-Group"]`,
		"requestheader-extra-headers-prefix": `["X-Remote-Extra-"]`,
	}
}

var asJane = http.Header{"X-Remote-User": {"jane"}}

func TestClusterFollowsTheConfigMap(t *testing.T) {
	first, second, clients := certtest.New(t), certtest.New(t), certtest.New(t)
	events := make(chan string)
	t.Cleanup(func() { close(events) })
	_, client := newRemote(t, func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Query().Get("watch") == "" {
			says(configMapText("5", trustData(first, clients)))(w, req)
			return
		}
		if q := req.URL.Query(); q.Get("fieldSelector") != "metadata.name="+configMapName || q.Get("resourceVersion") != "5" {
			t.Errorf("watch with %s", req.URL.RawQuery)
		}
		w.(http.Flusher).Flush()
		for {
			select {
			case event, open := <-events:
				if !open {
					return
				}
				says(event)(w, req)
				w.(http.Flusher).Flush()
			case <-req.Context().Done():
				return
			}
		}
	})
	c := NewCluster(client, true, slog.New(slog.DiscardHandler))
	if user, err := c.Authenticate(request(t, first, "aggregator", asJane)); user != nil || err != nil {
		t.Errorf("before it is read: %v, %v", user, err)
	}
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	if user, err := c.Authenticate(request(t, first, "aggregator", asJane)); err != nil || user == nil || user.Name != "jane" {
		t.Errorf("behind the proxy: %v, %v", user, err)
	}
	if user, err := c.Authenticate(request(t, first, "other", asJane)); err == nil {
		t.Errorf("behind another: %v", user)
	}
	if user, err := c.Authenticate(request(t, clients, "joe", asJane)); err != nil || user == nil || user.Name != "joe" {
		t.Errorf("a client of the cluster: %v, %v", user, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		c.Follow(ctx)
		close(stopped)
	}()
	events <- `{"type":"MODIFIED","object":` + configMapText("6", trustData(second, clients)) + `}`
	await(t, func() bool {
		user, _ := c.Authenticate(request(t, second, "aggregator", asJane))
		return user != nil
	})
	if user, err := c.Authenticate(request(t, first, "aggregator", asJane)); err == nil {
		t.Errorf("behind the old proxy: %v", user)
	}
	events <- `{"type":"DELETED","object":` + configMapText("7", trustData(second, clients)) + `}`
	await(t, func() bool {
		user, _ := c.Authenticate(request(t, second, "aggregator", asJane))
		return user == nil
	})
	stop()
	<-stopped
}

func TestClusterReadsNothingWrong(t *testing.T) {
	proxies := certtest.New(t)
	for key, tc := range map[string]struct{ value, want string }{
		"requestheader-allowed-names":    {"aggregator", "requestheader-allowed-names: want a JSON list"},
		"requestheader-username-headers": {"[]", "no header holds the name"},
		"requestheader-client-ca-file":   {"x", "no certificate"},
		"client-ca-file":                 {"x", "client-ca-file"},
	} {
		data := trustData(proxies, proxies)
		data[key] = tc.value
		_, client := newRemote(t, says(configMapText("1", data)))
		if err := NewCluster(client, true, nil).Load(t.Context()); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", key, err, tc.want)
		}
	}
	_, client := newRemote(t, http.NotFound)
	if err := NewCluster(client, true, nil).Load(t.Context()); err == nil || !strings.Contains(err.Error(), "kube-system/extension-apiserver-authentication: HTTP status 404") {
		t.Errorf("missing: %v", err)
	}
}

// TestClusterWithoutProxies leaves the headers to the proxies that a server was told.
func TestClusterWithoutProxies(t *testing.T) {
	proxies, clients := certtest.New(t), certtest.New(t)
	_, client := newRemote(t, says(configMapText("1", trustData(proxies, clients))))
	c := NewCluster(client, false, nil)
	if err := c.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	req := request(t, proxies, "aggregator", asJane)
	if user, err := c.Authenticate(req); user != nil || err == nil || req.Header.Get("X-Remote-User") != "jane" {
		t.Errorf("the cluster's proxy: %v, %v, %v", user, err, req.Header)
	}
	if user, err := c.Authenticate(request(t, clients, "joe", asJane)); err != nil || user.Name != "joe" {
		t.Errorf("a client of the cluster: %v, %v", user, err)
	}
}

// await waits for a condition.
func await(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come")
		}
	}
}
