package server_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/registry/rest"
)

// TestHeadIsGetWithoutBody asks for everything twice, over both versions of HTTP: HEAD has the code
// and the headers of GET.
func TestHeadIsGetWithoutBody(t *testing.T) {
	r := books()
	r.Get = getFunc(func(_ context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
		switch n.Name {
		case "large":
			return sized(1 << 20), nil
		case "absent":
			return nil, apierrors.NewNotFound(schema.GroupResource{Group: gv1.Group, Resource: "books"}, n.Name)
		case "broken":
			return nil, errors.New("disk on fire")
		}
		return aBook(n.Name), nil
	})
	c := config(t, r, shelves())
	c.OpenAPI = map[schema.GroupVersion]string{gv1: schemas}
	ts := start(t, newServer(t, c))
	aggregated := map[string]string{"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}
	for name, get := range map[string]request{
		"object":                 {path: bookPath},
		"object in YAML":         {path: bookPath, header: map[string]string{"Accept": "application/yaml"}},
		"object, indented":       {path: bookPath + "?pretty=true"},
		"list":                   {path: booksPath},
		"large":                  {path: booksPath + "/large"},
		"large, compressed":      {path: booksPath + "/large", header: map[string]string{"Accept-Encoding": "gzip"}},
		"absent":                 {path: booksPath + "/absent"},
		"broken":                 {path: booksPath + "/broken"},
		"unknown":                {path: "/nothing"},
		"bad form":               {path: bookPath, header: map[string]string{"Accept": "text/html"}},
		"nobody":                 {path: bookPath, header: map[string]string{"Test-User": ""}},
		"not allowed":            {path: bookPath, header: map[string]string{"Test-User": "u"}},
		"cannot be read":         {path: "/apis/library.example.com/v1/shelves"},
		"health":                 {path: "/readyz?verbose"},
		"version":                {path: "/version"},
		"index":                  {path: "/"},
		"groups":                 {path: "/apis"},
		"discovery":              {path: "/apis", header: aggregated},
		"OpenAPI v2":             {path: "/openapi/v2"},
		"OpenAPI v3":             {path: "/openapi/v3"},
		"OpenAPI v3, of version": {path: "/openapi/v3/apis/library.example.com/v1"},
	} {
		for version, proto := range map[string]string{"HTTP/1.1": "http/1.1", "HTTP/2.0": "h2"} {
			t.Run(name+" over "+version, func(t *testing.T) {
				client := clientFor(t, ts.Client(), proto)
				get.method = http.MethodGet
				wantCode, wantHeader, body := exchange(t, client, ts.Listener.Addr().String(), version, get)
				get.method = http.MethodHead
				code, header, none := exchange(t, client, ts.Listener.Addr().String(), version, get)
				if code != wantCode || len(none) != 0 || len(body) == 0 {
					t.Errorf("HEAD %d with %d bytes, GET %d with %d", code, len(none), wantCode, len(body))
				}
				if diff := cmp.Diff(wantHeader, header); diff != "" {
					t.Errorf("headers (-GET +HEAD):\n%s", diff)
				}
			})
		}
	}
}

// clientFor speaks one version of HTTP, takes every answer as it comes, and compresses nothing by
// itself.
func clientFor(t *testing.T, like *http.Client, proto string) *http.Client {
	t.Helper()
	config := like.Transport.(*http.Transport).TLSClientConfig.Clone()
	config.NextProtos = []string{proto}
	transport := &http.Transport{TLSClientConfig: config, DisableCompression: true, ForceAttemptHTTP2: proto == "h2"}
	if proto != "h2" {
		transport.TLSNextProto = map[string]func(string, *tls.Conn) http.RoundTripper{}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func exchange(t *testing.T, client *http.Client, address, version string, r request) (int, http.Header, []byte) {
	t.Helper()
	if r.header == nil {
		r.header = map[string]string{}
	}
	r.header["Audit-Id"] = "the-same"
	req := r.build()
	req.RequestURI, req.URL.Scheme, req.URL.Host = "", "https", address
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.Proto != version {
		t.Fatalf("%s %v", resp.Proto, err)
	}
	resp.Header.Del("Date")
	return resp.StatusCode, resp.Header, body
}

// TestPrettyEverywhere has what TestPretty leaves open.
func TestPrettyEverywhere(t *testing.T) {
	s := newServer(t, config(t, books()))
	browser := map[string]string{"User-Agent": "Mozilla/5.0 (X11)"}
	for name, tc := range map[string]struct {
		request
		want bool
	}{
		"pretty=nonsense":       {request{path: bookPath + "?pretty=nonsense"}, false},
		"pretty without value":  {request{path: bookPath + "?pretty"}, false},
		"in another clause":     {request{path: bookPath, header: map[string]string{"Accept": "text/html;pretty=1, application/json"}}, false},
		"list":                  {request{path: booksPath + "?pretty=true"}, true},
		"what was written":      {request{method: "POST", path: booksPath + "?pretty=true", body: goodBook}, true},
		"status":                {request{path: booksPath + "/b/none?pretty=true"}, true},
		"discovery for a human": {request{path: "/apis/library.example.com/v1", header: browser}, true},
	} {
		t.Run(name, func(t *testing.T) {
			body := do(s, tc.request).Body.String()
			if got := strings.HasPrefix(body, "{\n  \"kind\""); got != tc.want || !strings.HasSuffix(body, "}\n") || strings.Count(body, "\n") > 1 != tc.want {
				t.Errorf("indented: %t, want %t\n%s", got, tc.want, body)
			}
		})
	}
}

// What clients have already is not sent again; the answer says until when that holds.
func TestNotModified(t *testing.T) {
	s := withOpenAPI(t, books())
	for name, r := range map[string]request{
		"discovery":       {path: "/apis", header: map[string]string{"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}},
		"core discovery":  {path: "/api", header: map[string]string{"Accept": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}},
		"OpenAPI v3 root": {path: "/openapi/v3", header: map[string]string{}},
		"OpenAPI v3":      {path: documentURL(t, s), header: map[string]string{}},
		"OpenAPI v2":      {path: "/openapi/v2", header: map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			whole := do(s, r)
			tag := whole.Header().Get("ETag")
			if len(tag) != 2+128 || tag[0] != '"' || tag != strings.ToUpper(tag) {
				t.Fatalf("ETag is %s, want that of Kubernetes: SHA-512 in upper case, quoted", tag)
			}
			for candidates, want := range map[string]int{
				tag:                    http.StatusNotModified,
				"W/" + tag:             http.StatusNotModified,
				`"x", ` + tag:          http.StatusNotModified,
				"*":                    http.StatusNotModified,
				`"x"`:                  http.StatusOK,
				strings.Trim(tag, `"`): http.StatusOK,
			} {
				r.header["If-None-Match"] = candidates
				w := do(s, r)
				if w.Code != want || (w.Body.Len() == 0) != (want == http.StatusNotModified) {
					t.Errorf("If-None-Match %.20s: %d with %d bytes", candidates, w.Code, w.Body.Len())
				}
				for _, key := range []string{"ETag", "Vary", "Cache-Control"} {
					if w.Header().Get(key) != whole.Header().Get(key) {
						t.Errorf("%s is %q at first and %q for %d", key, whole.Header().Get(key), w.Header().Get(key), w.Code)
					}
				}
			}
		})
	}
}
