package clients

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestOldHoles sends what once opened holes in API servers. Whoever has no credential gets 401,
// however the path is written. Whoever has one gets at nothing by another path than the object's
// own.
func TestOldHoles(t *testing.T) {
	s := start(t, "library")
	admin, err := rest.HTTPClientFor(s.config)
	must(t, err)
	shelf := `{"metadata":{"name":"top"},"spec":{"room":"attic"}}`
	resp, err := admin.Post(s.config.Host+"/apis/library.example.com/v1/shelves", "application/json", strings.NewReader(shelf))
	must(t, err)
	resp.Body.Close()
	anonymous := &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	const v1 = "/apis/library.example.com/v1"
	for _, tc := range []struct {
		name, method, path string
		header             http.Header
		anonymous, admin   int
	}{
		{"the object itself", "GET", v1 + "/shelves/top", nil, 401, 200},
		// CVE-2019-11247: an object of the cluster through the path of a namespace.
		{"a shelf in a namespace", "GET", v1 + "/namespaces/default/shelves/top", nil, 401, 404},
		{"shelves in a namespace", "GET", v1 + "/namespaces/default/shelves", nil, 401, 404},
		{"a shelf to delete in a namespace", "DELETE", v1 + "/namespaces/default/shelves/top", nil, 401, 404},
		{"a book outside of namespaces", "GET", v1 + "/books/b", nil, 401, 404},
		// CVE-2022-3162: the path leads to a sibling.
		{"dots", "GET", v1 + "/namespaces/default/books/../shelves", nil, 401, 400},
		{"encoded dots", "GET", v1 + "/namespaces/%2e%2e/books", nil, 401, 400},
		{"encoded slash", "GET", v1 + "/namespaces/default%2f..%2fx/books", nil, 401, 400},
		{"encoded twice", "GET", v1 + "/namespaces/default%252f..%252fx/books", nil, 401, 400},
		{"NUL", "GET", v1 + "/shelves/top%00", nil, 401, 400},
		// CVE-2026-33186: authorized as one path, served as another.
		{"two slashes", "GET", "/" + v1 + "/shelves/top", nil, 401, 404},
		{"health and then up", "GET", "/livez/../" + v1[1:] + "/shelves/top", nil, 401, 400},
		{"health and then up, encoded", "GET", "/livez/%2e%2e/" + v1[1:] + "/shelves/top", nil, 401, 400},
		{"slash in the middle", "GET", v1 + "//shelves/top", nil, 401, 404},
		// CVE-2018-1002105: an upgrade keeps the connection open.
		{"upgrade", "GET", v1 + "/shelves/top", http.Header{"Connection": {"Upgrade"}, "Upgrade": {"websocket"}}, 401, 200},
		// A proxy's headers are worth nothing from whoever is no proxy.
		{"headers of a proxy", "GET", v1 + "/shelves/top", http.Header{"X-Remote-User": {"admin"}, "X-Remote-Group": {"system:masters"}}, 401, 200},
		{"headers of a proxy, spelled otherwise", "GET", v1 + "/shelves/top", http.Header{"X_Remote_User": {"admin"}, "X_Remote_Group": {"system:masters"}}, 401, 200},
		{"impersonation", "GET", v1 + "/shelves/top", http.Header{"Impersonate-User": {"admin"}, "Impersonate-Group": {"system:masters"}}, 401, 0},
		{"a token that is none", "GET", v1 + "/shelves/top", http.Header{"Authorization": {"Bearer x"}}, 401, 0},
		// CVE-2022-1996: nobody asked for CORS.
		{"origin", "GET", v1 + "/shelves/top", http.Header{"Origin": {"https://evil.example.com"}}, 401, 200},
		{"what is for debugging", "GET", "/debug/pprof/heap", nil, 401, 404},
		{"health", "GET", "/livez", nil, 200, 200},
		{"10,000 terms", "GET", v1 + "/shelves?labelSelector=" + url.QueryEscape("a in ("+strings.Repeat("x,", 10_000)+"x)"), nil, 401, 200},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for who, c := range map[string]struct {
				client *http.Client
				want   int
			}{"anonymous": {anonymous, tc.anonymous}, "admin": {admin, tc.admin}} {
				if c.want == 0 {
					continue
				}
				drill.KnownHoles.Count("requests through known holes", 1)
				got := sendAs(t, c.client, s.config.Host, tc.method, tc.path, tc.header)
				if got.StatusCode != c.want {
					t.Errorf("%s gets %s, want %d", who, got.Status, c.want)
				}
				if got.Header.Get("Location") != "" || got.Header.Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s gets the headers %v", who, got.Header)
				}
			}
		})
	}

	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write([]byte(shelf))
	must(t, w.Close())
	req, err := http.NewRequest(http.MethodPost, s.config.Host+v1+"/shelves", &packed)
	must(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Content-Encoding", "gzip")
	resp, err = admin.Do(req)
	must(t, err)
	resp.Body.Close()
	if resp.StatusCode != http.StatusBadRequest && resp.StatusCode != http.StatusUnsupportedMediaType {
		t.Errorf("a compressed body: %s", resp.Status)
	}
}

// sendAs sends the path as it stands here.
func sendAs(t *testing.T, client *http.Client, host, method, path string, header http.Header) *http.Response {
	t.Helper()
	req, err := http.NewRequest(method, host, nil)
	must(t, err)
	path, query, _ := strings.Cut(path, "?")
	req.URL = &url.URL{Scheme: "https", Host: req.URL.Host, Opaque: "//" + req.URL.Host + path, RawQuery: query}
	req.Header = header.Clone()
	resp, err := client.Do(req)
	must(t, err)
	resp.Body.Close()
	return resp
}
