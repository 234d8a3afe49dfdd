package delegated

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// TestPassage: a request gets to the server's own path, with the config's credential alone.
func TestPassage(t *testing.T) {
	got := ""
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r.Host + r.URL.RequestURI() + " " + r.Header.Get("Authorization") + r.Header.Get("Cookie")
	}))
	defer server.Close()
	host := server.Listener.Addr().String()
	for base, want := range map[string]string{
		"":        host + "/api/v1/a%2Fb?limit=1 Bearer secret",
		"/":       host + "/api/v1/a%2Fb?limit=1 Bearer secret",
		"/below":  host + "/below/api/v1/a%2Fb?limit=1 Bearer secret",
		"/below/": host + "/below/api/v1/a%2Fb?limit=1 Bearer secret",
	} {
		p, err := NewPassage(Config{Server: server.URL + base, Token: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://elsewhere/api/v1/a%2Fb?limit=1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer theirs")
		req.Header.Set("Cookie", "theirs=1")
		resp, err := p.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got != want {
			t.Errorf("%q: the server got %s, want %s", base, got, want)
		}
	}
}
