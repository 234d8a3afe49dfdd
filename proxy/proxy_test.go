package proxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/proxy"
)

// anywhere lets tests reach servers on this machine.
func anywhere(netip.Addr) error { return nil }

// front serves a proxy to a path of a server that answers with handler.
func front(t *testing.T, c proxy.Config, handler http.HandlerFunc, path string) *httptest.Server {
	t.Helper()
	behind := httptest.NewTLSServer(handler)
	t.Cleanup(behind.Close)
	roots := x509.NewCertPool()
	roots.AddCert(behind.Certificate())
	if c.TLS == nil {
		c.TLS = &tls.Config{RootCAs: roots}
	}
	target, err := url.Parse(behind.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(proxy.New(c).Handler(target))
	t.Cleanup(server.Close)
	return server
}

func do(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// TestHandler: what is asked and answered goes through, and who asks does not.
func TestHandler(t *testing.T) {
	server := front(t, proxy.Config{Allow: anywhere}, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		for _, name := range []string{"Authorization", "Cookie", "Impersonate-User", "Impersonate-Extra-A", "X-Remote-User", "X-Forwarded-For"} {
			if req.Header.Get(name) != "" {
				t.Errorf("the server behind gets %s", name)
			}
		}
		w.Header().Set("X-Kept", req.Header.Get("X-Mine"))
		for _, name := range []string{"Set-Cookie", "Service-Worker-Allowed", "Clear-Site-Data"} {
			w.Header().Set(name, "a=b")
		}
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, req.Method+" "+req.URL.String()+" "+string(body))
	}, "/a%20b?c=d")
	req, _ := http.NewRequest("PUT", server.URL+"/other?query=1", strings.NewReader("sent"))
	for name, value := range map[string]string{"Authorization": "Bearer x", "Cookie": "a=b", "Impersonate-User": "root", "Impersonate-Extra-A": "x", "X-Remote-User": "root", "X-Forwarded-For": "1.2.3.4", "X-Mine": "yes"} {
		req.Header.Set(name, value)
	}
	resp, body := do(t, req)
	if resp.StatusCode != http.StatusTeapot || body != "PUT /a%20b?c=d sent" || resp.Header.Get("X-Kept") != "yes" ||
		resp.Header.Get("Set-Cookie")+resp.Header.Get("Service-Worker-Allowed")+resp.Header.Get("Clear-Site-Data") != "" {
		t.Errorf("%d %q %v", resp.StatusCode, body, resp.Header)
	}
}

// TestRefused: where an answer could lead the client, or the server, somewhere else.
func TestRefused(t *testing.T) {
	redirect := func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/" {
			t.Error("the redirect was followed")
		}
		http.Redirect(w, req, "/secret", http.StatusFound)
	}
	for name, tc := range map[string]struct {
		config proxy.Config
		code   int
		says   string
	}{
		"a redirect":                {proxy.Config{Allow: anywhere}, 502, "neither followed nor passed on: it answered 302"},
		"this machine":              {proxy.Config{}, 503, "address 127.0.0.1 is not allowed"},
		"an unknown authority":      {proxy.Config{Allow: anywhere, TLS: &tls.Config{}}, 503, "certificate"},
		"an authority of no server": {proxy.Config{Allow: anywhere, TLS: &tls.Config{RootCAs: x509.NewCertPool()}}, 503, "certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			req, _ := http.NewRequest("GET", front(t, tc.config, redirect, "/").URL, nil)
			resp, body := do(t, req)
			if resp.StatusCode != tc.code || !strings.Contains(body, tc.says) || !strings.Contains(body, `"kind":"Status"`) || resp.Header.Get("Location") != "" {
				t.Errorf("%d %s, want %d with %q", resp.StatusCode, body, tc.code, tc.says)
			}
		})
	}
}

func TestGlobal(t *testing.T) {
	for text, fine := range map[string]bool{
		"10.0.0.7": true, "192.168.1.1": true, "8.8.8.8": true, "fd00::1": true,
		"127.0.0.1": false, "127.8.8.8": false, "::1": false, "169.254.169.254": false, "fe80::1": false, "0.0.0.0": false, "::": false, "224.0.0.1": false, "255.255.255.255": false,
	} {
		if err := proxy.Global(netip.MustParseAddr(text)); (err == nil) != fine {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestUpgrade: both sides talk as they like when they have agreed on a protocol, until the client's
// request ends.
func TestUpgrade(t *testing.T) {
	gone := make(chan struct{})
	server := front(t, proxy.Config{Allow: anywhere}, func(w http.ResponseWriter, req *http.Request) {
		defer close(gone)
		if req.Header.Get("Upgrade") != "SPDY/3.1" {
			t.Errorf("the upgrade is to %q", req.Header.Get("Upgrade"))
		}
		w.Header().Set("Upgrade", "SPDY/3.1")
		w.Header().Set("Connection", "Upgrade")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, both, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		for {
			line, err := both.ReadString('\n')
			if err != nil {
				return
			}
			conn.Write([]byte("heard " + line))
		}
	}, "/exec")
	var dialer net.Dialer
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nContent-Length: 0\r\n\r\n")
	answers := bufio.NewReader(conn)
	resp, err := http.ReadResponse(answers, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("%v, %v", resp, err)
	}
	for _, word := range []string{"one\n", "two\n"} {
		io.WriteString(conn, word)
		if line, err := answers.ReadString('\n'); err != nil || line != "heard "+word {
			t.Fatalf("%q, %v", line, err)
		}
	}
	conn.Close()
	select {
	case <-gone:
	case <-ctx.Done():
		t.Error("the server behind still waits for a client that is gone")
	}
}

// TestStream: what is answered bit by bit is passed on bit by bit.
func TestStream(t *testing.T) {
	next := make(chan string)
	server := front(t, proxy.Config{Allow: anywhere}, func(w http.ResponseWriter, _ *http.Request) {
		for line := range next {
			io.WriteString(w, line)
			w.(http.Flusher).Flush()
		}
	}, "/log")
	defer close(next)
	req, _ := http.NewRequestWithContext(t.Context(), "GET", server.URL, nil)
	go func() { next <- "first\n" }()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	for _, want := range []string{"first\n", "second\n"} {
		if want == "second\n" {
			next <- want
		}
		if line, err := lines.ReadString('\n'); err != nil || line != want {
			t.Fatalf("%q, %v", line, err)
		}
	}
}
