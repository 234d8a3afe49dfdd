package console

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/auth"
)

// known knows the token "good", and any client certificate.
type known struct{}

func (known) Authenticate(r *http.Request) (*auth.User, error) {
	if r.TLS != nil && len(r.TLS.PeerCertificates) > 0 {
		return &auth.User{Name: r.TLS.PeerCertificates[0].Subject.CommonName}, nil
	}
	switch r.Header.Get("Authorization") {
	case "":
		return &auth.User{Name: auth.UserAnonymous}, nil
	case "Bearer good", "Bearer " + longToken:
		return &auth.User{Name: "ada"}, nil
	}
	return nil, errors.New("unknown token")
}

var longToken = strings.Repeat("x", 5000)

// aServer is one with a console. Its API says who asks, and tries to have headers that are ours.
func aServer(t *testing.T, secret string) *httptest.Server {
	t.Helper()
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "theirs=1")
		w.Header().Set("Content-Security-Policy", "script-src *")
		user, err := known{}.Authenticate(r)
		if err != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, until := r.Context().Deadline()
		fmt.Fprintf(w, "%s asks %s %s, cookies %d, bounded %v", user.Name, r.Method, r.URL.RequestURI(), len(r.Cookies()), until)
	})
	served, err := NewServed(ServedConfig{
		Program: "widgets", Groups: []string{"shop.example.com"}, Authenticator: known{}, Secret: []byte(secret), Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Named: func(host string) bool { return host == "127.0.0.1" },
	}, api)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(served)
	server.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// aCertificate is one of a user that signs itself.
func aCertificate(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// visitor is a browser at a server, which shows some certificates.
type visitor struct {
	t      *testing.T
	server *httptest.Server
	client *http.Transport
}

func visit(t *testing.T, server *httptest.Server, shown ...tls.Certificate) visitor {
	t.Helper()
	transport := server.Client().Transport.(*http.Transport).Clone()
	transport.TLSClientConfig.Certificates = shown
	t.Cleanup(transport.CloseIdleConnections)
	return visitor{t, server, transport}
}

// own are the headers that a browser sends with a request of our page.
func (v visitor) own() map[string]string {
	return map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": v.server.URL}
}

func (v visitor) send(method, path string, header map[string]string, cookie *http.Cookie, form url.Values) (*http.Response, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.server.URL+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if req.Host = header["Host"]; req.Host == "" {
		req.Host = req.URL.Host
	}
	if cookie != nil {
		req.AddCookie(cookie)
	}
	resp, err := v.client.RoundTrip(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return resp, string(text)
}

// signIn returns the cookie of a session.
func (v visitor) signIn(form url.Values) *http.Cookie {
	v.t.Helper()
	resp, text := v.send("POST", "/console/login", v.own(), nil, form)
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 || resp.Header.Get("Location") != Path {
		v.t.Fatalf("sign in: %s, cookies %v\n%s", resp.Status, resp.Cookies(), text)
	}
	return resp.Cookies()[0]
}

var (
	goodToken     = url.Values{"token": {" good\n"}}
	byCertificate = url.Values{"certificate": {"yes"}}
)

func TestSignInByToken(t *testing.T) {
	v := visit(t, aServer(t, "one"))
	if _, text := v.send("GET", "/console/", nil, nil, nil); !strings.Contains(text, `action="login"`) || strings.Contains(text, "app.js") {
		t.Errorf("who is not signed in sees\n%s", text)
	}
	cookie := v.signIn(goodToken)
	if !cookie.HttpOnly || !cookie.Secure || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != Path || cookie.MaxAge != 3600 || !strings.HasPrefix(cookie.Name, "__Secure-") {
		t.Errorf("cookie %v", cookie)
	}
	if strings.Contains(cookie.Value, "good") {
		t.Errorf("the token is in the cookie for all to read: %s", cookie.Value)
	}
	if _, text := v.send("GET", "/console/", nil, cookie, nil); !strings.Contains(text, "app.js") {
		t.Errorf("who is signed in sees\n%s", text)
	}
	resp, text := v.send("PUT", "/console/server/api/v1/a%2Fb?x=%2F", v.own(), cookie, nil)
	if want := "ada asks PUT /api/v1/a%2Fb?x=%2F, cookies 0, bounded true"; text != want {
		t.Errorf("the API has seen %q, want %q", text, want)
	}
	if policy := resp.Header.Get("Content-Security-Policy"); policy != answerHeaders["Content-Security-Policy"] || len(resp.Cookies()) > 0 {
		t.Errorf("an answer of the API has the policy %q and the cookies %v", policy, resp.Cookies())
	}
	if resp, _ := v.send("POST", "/console/logout", v.own(), cookie, nil); len(resp.Cookies()) != 1 || resp.Cookies()[0].MaxAge >= 0 || resp.Cookies()[0].Name != cookie.Name {
		t.Errorf("signing out leaves the cookie: %v", resp.Cookies())
	}
}

// TestSignInByCertificate: a session of a certificate is good with that one only, and one of a
// token is the token's user, whatever certificate the connection has.
func TestSignInByCertificate(t *testing.T) {
	server := aServer(t, "one")
	grace := visit(t, server, aCertificate(t, "<grace>"))
	if _, text := grace.send("GET", "/console/", nil, nil, nil); !strings.Contains(text, "Go on as") || !strings.Contains(text, "&lt;grace&gt;") {
		t.Errorf("who has a certificate sees\n%s", text)
	}
	cookie := grace.signIn(byCertificate)
	if _, text := grace.send("GET", "/console/server/api", grace.own(), cookie, nil); !strings.HasPrefix(text, "<grace> asks GET /api,") {
		t.Errorf("with the certificate: %s", text)
	}
	for name, other := range map[string]visitor{"none": visit(t, server), "another": visit(t, server, aCertificate(t, "mallory"))} {
		if resp, text := other.send("GET", "/console/server/api", other.own(), cookie, nil); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("with %s: %s: %s", name, resp.Status, text)
		}
	}
	if _, text := grace.send("GET", "/console/server/api", grace.own(), grace.signIn(goodToken), nil); !strings.HasPrefix(text, "ada asks") {
		t.Errorf("with a token and a certificate: %s", text)
	}
}

func TestSignInIsRefused(t *testing.T) {
	v := visit(t, aServer(t, "one"))
	for _, c := range []struct {
		name   string
		header map[string]string
		form   url.Values
		want   int
	}{
		{"wrong token", v.own(), url.Values{"token": {"guess"}}, http.StatusForbidden},
		{"no token", v.own(), url.Values{}, http.StatusBadRequest},
		{"certificate that was not shown", v.own(), byCertificate, http.StatusBadRequest},
		{"token that no cookie holds", v.own(), url.Values{"token": {longToken}}, http.StatusBadRequest},
		{"form that is too long", v.own(), url.Values{"token": {strings.Repeat("x", 1<<20)}}, http.StatusBadRequest},
		{"another site", map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, goodToken, http.StatusForbidden},
		{"another port", map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "https://127.0.0.1:1"}, goodToken, http.StatusForbidden},
		{"no browser", nil, goodToken, http.StatusForbidden},
		{"another host", map[string]string{"Host": "evil.example", "Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"}, goodToken, http.StatusMisdirectedRequest},
	} {
		t.Run(c.name, func(t *testing.T) {
			if resp, text := v.send("POST", "/console/login", c.header, nil, c.form); resp.StatusCode != c.want || len(resp.Cookies()) > 0 {
				t.Errorf("%s, cookies %v, want %d\n%s", resp.Status, resp.Cookies(), c.want, text)
			}
		})
	}
	if resp, _ := v.send("GET", "/console/login?token=good", v.own(), nil, nil); len(resp.Cookies()) > 0 {
		t.Error("a token in an address is taken")
	}
}

// TestRequestsAreRefused: a cookie alone is not enough, and not any cookie is.
func TestRequestsAreRefused(t *testing.T) {
	server := aServer(t, "one")
	v := visit(t, server)
	good := v.signIn(goodToken)
	with := func(more map[string]string) map[string]string {
		header := v.own()
		for name, value := range more {
			header[name] = value
		}
		return header
	}
	changed := *good
	changed.Value = "A" + good.Value[1:]
	if good.Value[0] == 'A' {
		changed.Value = "B" + good.Value[1:]
	}
	others := visit(t, aServer(t, "two")).signIn(goodToken)
	renamed := *others
	renamed.Name = good.Name
	sealing, err := newSessions([]byte("one"))
	if err != nil {
		t.Fatal(err)
	}
	ended := *good
	ended.Value = sealing.seal(&session{Token: "good", End: time.Now().Add(-time.Second).Unix()})
	revoked := *good
	revoked.Value = sealing.seal(&session{Token: "revoked", End: time.Now().Add(time.Hour).Unix()})
	for _, c := range []struct {
		name, method string
		header       map[string]string
		cookie       *http.Cookie
		want         int
	}{
		{"good", "DELETE", v.own(), good, http.StatusOK},
		{"no cookie", "GET", v.own(), nil, http.StatusUnauthorized},
		{"changed cookie", "GET", v.own(), &changed, http.StatusUnauthorized},
		{"cookie of another server", "GET", v.own(), others, http.StatusUnauthorized},
		{"its value under our name", "GET", v.own(), &renamed, http.StatusUnauthorized},
		{"ended session", "GET", v.own(), &ended, http.StatusUnauthorized},
		{"revoked token", "GET", v.own(), &revoked, http.StatusUnauthorized},
		{"token in place of a cookie", "GET", with(map[string]string{"Authorization": "Bearer good"}), nil, http.StatusUnauthorized},
		{"another site", "GET", map[string]string{"Sec-Fetch-Site": "cross-site"}, good, http.StatusForbidden},
		{"another origin", "POST", with(map[string]string{"Origin": "https://evil.example"}), good, http.StatusForbidden},
		{"no origin", "POST", map[string]string{"Sec-Fetch-Site": "same-origin"}, good, http.StatusForbidden},
		{"nothing said", "GET", nil, good, http.StatusForbidden},
		{"another host", "GET", with(map[string]string{"Host": "evil.example", "Origin": "https://evil.example"}), good, http.StatusMisdirectedRequest},
		{"upgrade", "GET", with(map[string]string{"Upgrade": "websocket", "Connection": "Upgrade"}), good, http.StatusNotImplemented},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp, text := v.send(c.method, "/console/server/api", c.header, c.cookie, nil)
			if resp.StatusCode != c.want {
				t.Errorf("%s, want %d\n%s", resp.Status, c.want, text)
			}
			if resp.StatusCode != http.StatusOK && strings.Contains(text, "asks") {
				t.Errorf("the API was asked: %s", text)
			}
		})
	}
}

// TestPagesAreGuarded: each page has a policy without scripts of others, and is in no frame.
func TestPagesAreGuarded(t *testing.T) {
	v := visit(t, aServer(t, "one"))
	cookie := v.signIn(goodToken)
	for path, cookie := range map[string]*http.Cookie{"/console/": nil, "/console/login.js": nil, "/console/index.html": cookie, "/console/app.js": nil, "/console/about.json": cookie} {
		resp, _ := v.send("GET", path, nil, cookie, nil)
		policy := resp.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, resp.Header)
		}
	}
	if resp, _ := v.send("POST", "/console/app.js", v.own(), cookie, nil); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST of a page: %s", resp.Status)
	}
}

// TestAbout: the page learns which groups are the program's own. They are not public.
func TestAbout(t *testing.T) {
	v := visit(t, aServer(t, "one"))
	resp, text := v.send("GET", "/console/about.json", nil, nil, nil)
	if resp.StatusCode != http.StatusUnauthorized || strings.Contains(text, "shop") {
		t.Errorf("without a session: %s: %s", resp.Status, text)
	}
	var got about
	resp, text = v.send("GET", "/console/about.json", nil, v.signIn(goodToken), nil)
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatalf("%s: %v: %s", resp.Status, err, text)
	}
	want := about{Program: "widgets", Server: v.server.URL, Groups: []string{"shop.example.com"}, SignOut: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestServedHasNoBytes: the page asks for them, and is told where they are shown.
func TestServedHasNoBytes(t *testing.T) {
	v := visit(t, aServer(t, "one"))
	resp, text := v.send("GET", "/console/disk/library.example.com/books/default/emma", v.own(), v.signIn(goodToken), nil)
	var status struct{ Kind, Message string }
	if err := json.Unmarshal([]byte(text), &status); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if resp.StatusCode != http.StatusNotImplemented || status.Kind != "Status" || !strings.Contains(status.Message, "the command `console` does") {
		t.Errorf("%s: %s", resp.Status, text)
	}
}

// TestPlainHTTP: without TLS nobody signs in.
func TestPlainHTTP(t *testing.T) {
	served, err := NewServed(ServedConfig{Authenticator: known{}, Secret: []byte("one"), Named: func(string) bool { return true }}, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	served.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1/console/", nil))
	if w.Code != http.StatusMisdirectedRequest {
		t.Errorf("%d: %s", w.Code, w.Body)
	}
}

// timed notes the deadlines that an answer is given.
type timed struct {
	*httptest.ResponseRecorder
	read, write time.Time
}

func (w *timed) SetReadDeadline(end time.Time) error  { w.read = end; return nil }
func (w *timed) SetWriteDeadline(end time.Time) error { w.write = end; return nil }

// TestHurry: who has not signed in can't hold a request for ever. Those to the API have the
// deadlines of the API.
func TestHurry(t *testing.T) {
	served, err := NewServed(ServedConfig{
		Authenticator: known{}, Secret: []byte("secret"), Log: slog.New(slog.DiscardHandler), Named: func(string) bool { return true },
	}, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string]bool{
		"POST /console/login": true, "GET /console/": true, "GET /console/app.js": true, "PUT /console/app.js": true,
		"GET /console/server/api": false,
	} {
		method, path, _ := strings.Cut(request, " ")
		w := &timed{ResponseRecorder: httptest.NewRecorder()}
		served.ServeHTTP(w, httptest.NewRequest(method, "https://127.0.0.1"+path, nil))
		for _, end := range []time.Time{w.read, w.write} {
			if got := !end.IsZero() && time.Until(end) <= pageTime; got != want {
				t.Errorf("%s may take until %v", request, end)
			}
		}
	}
}
