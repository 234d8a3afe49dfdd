package console

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/delegated"
)

// opened is a console whose address a browser has opened.
type opened struct {
	address *url.URL // with the token
	path    string   // where the page is
	cookie  *http.Cookie
}

// start starts a console of a server, and opens it.
func start(t *testing.T, server http.Handler) opened {
	t.Helper()
	behind := httptest.NewServer(server)
	t.Cleanup(behind.Close)
	ctx, cancel := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		config := Config{Program: "widgets", Server: delegated.Config{Server: behind.URL + "/below", Token: "secret"}, Opened: func(at string) { address <- at }}
		ended <- Serve(ctx, config)
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the console has ended with %v", err)
		}
	})
	var o opened
	select {
	case text := <-address:
		at, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		o.address = at
	case err := <-ended:
		ended <- err
		t.Fatalf("the console has ended: %v", err)
	}
	resp, _ := send(t, request{url: o.address.String()})
	if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
		t.Fatalf("the address: %s, cookies %v", resp.Status, resp.Cookies())
	}
	o.path, o.cookie = resp.Header.Get("Location"), resp.Cookies()[0]
	return o
}

// origin is that of the page.
func (o opened) origin() string { return "http://" + o.address.Host }

// request is one that a browser may send.
type request struct {
	method, url, host string
	cookie            *http.Cookie
	header            map[string]string
}

func send(t *testing.T, r request) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, r.url, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = r.host
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	if r.cookie != nil {
		req.AddCookie(r.cookie)
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func TestTokenIsGoodOnce(t *testing.T) {
	o := start(t, http.NotFoundHandler())
	if c := o.cookie; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != o.path || len(o.path) < 20 {
		t.Errorf("cookie %v, page at %s", c, o.path)
	}
	wrong := *o.address
	wrong.RawQuery = "token=guess"
	for _, address := range []*url.URL{o.address, &wrong} {
		if resp, text := send(t, request{url: address.String()}); resp.StatusCode != http.StatusForbidden || len(resp.Cookies()) > 0 {
			t.Errorf("%s: %s, cookies %v\n%s", address, resp.Status, resp.Cookies(), text)
		}
	}
}

// TestPeekDoesNotSpend: what a messenger asks to show a preview leaves the token good.
func TestPeekDoesNotSpend(t *testing.T) {
	d := newDoor("127.0.0.1:1")
	guard := d.guard(http.NotFoundHandler(), http.NotFoundHandler())
	for _, try := range []struct {
		method string
		code   int
	}{{http.MethodHead, http.StatusForbidden}, {http.MethodGet, http.StatusSeeOther}, {http.MethodGet, http.StatusForbidden}} {
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, httptest.NewRequest(try.method, d.address(), nil))
		if w.Code != try.code {
			t.Errorf("%s: %d, want %d", try.method, w.Code, try.code)
		}
	}
}

// TestWhoGetsIn tries requests of the page, of other sites and of other programs.
func TestWhoGetsIn(t *testing.T) {
	asked := 0
	o := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		w.Header().Set("Set-Cookie", "theirs=1")
		w.Header().Set("Content-Security-Policy", "default-src *")
		fmt.Fprintf(w, "%s %s as %s, cookie %q", r.Method, r.URL.RequestURI(), r.Header.Get("Authorization"), r.Header.Get("Cookie"))
	}))
	at := o.origin() + o.path + "server/api/v1/namespaces?limit=1"
	page := map[string]string{"Origin": o.origin(), "Sec-Fetch-Site": "same-origin"}
	with := func(name, value string) map[string]string {
		header := maps.Clone(page)
		if header[name] = value; value == "" {
			delete(header, name)
		}
		return header
	}
	other := &http.Cookie{Name: cookieName, Value: "guess"}
	for name, try := range map[string]struct {
		request
		code int
	}{
		"the page":                          {request{"GET", at, "", o.cookie, page}, 200},
		"a read without Origin":             {request{"GET", at, "", o.cookie, with("Origin", "")}, 200},
		"a write":                           {request{"POST", at, "", o.cookie, page}, 200},
		"a browser without Sec-Fetch":       {request{"POST", at, "", o.cookie, with("Sec-Fetch-Site", "")}, 200},
		"the bytes, which are elsewhere":    {request{"GET", o.origin() + o.path + "disk/core/secrets/default/a", "", o.cookie, page}, 501},
		"the bytes, without a cookie":       {request{"GET", o.origin() + o.path + "disk/core/secrets/default/a", "", nil, page}, 401},
		"the bytes, from another site":      {request{"GET", o.origin() + o.path + "disk/core/secrets/default/a", "", o.cookie, with("Sec-Fetch-Site", "cross-site")}, 403},
		"the audit log, which is elsewhere": {request{"GET", o.origin() + o.path + "audit/", "", o.cookie, page}, 501},
		"the audit log, without a cookie":   {request{"GET", o.origin() + o.path + "audit/", "", nil, page}, 401},
		"the audit log, from another site":  {request{"GET", o.origin() + o.path + "audit/", "", o.cookie, with("Sec-Fetch-Site", "cross-site")}, 403},
		"no cookie":                         {request{"GET", at, "", nil, page}, 401},
		"another cookie":                    {request{"GET", at, "", other, page}, 401},
		"another host":                      {request{"GET", at, "evil.example.com", o.cookie, page}, 421},
		"another name of this host":         {request{"GET", at, "localhost", o.cookie, page}, 421},
		"another origin":                    {request{"POST", at, "", o.cookie, with("Origin", "http://evil.example.com")}, 403},
		"another port":                      {request{"GET", at, "", o.cookie, with("Sec-Fetch-Site", "same-site")}, 403},
		"a form in a frame":                 {request{"POST", at, "", o.cookie, with("Origin", "null")}, 403},
		"a link of another site":            {request{"GET", at, "", o.cookie, map[string]string{"Sec-Fetch-Site": "cross-site"}}, 403},
		"an address typed by hand":          {request{"GET", at, "", o.cookie, map[string]string{"Sec-Fetch-Site": "none"}}, 403},
		"a write that says nothing":         {request{"POST", at, "", o.cookie, nil}, 403},
		"a write that says half of it":      {request{"DELETE", at, "", o.cookie, with("Origin", "")}, 403},
		"a read that says nothing":          {request{"GET", at, "", o.cookie, nil}, 403},
		"an upgrade":                        {request{"GET", at, "", o.cookie, with("Upgrade", "websocket")}, 501},
		"another path":                      {request{"GET", strings.Replace(at, o.path, "/guess/", 1), "", o.cookie, page}, 404},
		"the root without a token":          {request{"GET", o.origin() + "/", "", o.cookie, page}, 403},
		"the page itself, at its address":   {request{"GET", o.origin() + o.path + "about.json", "", nil, nil}, 200},
	} {
		before := asked
		resp, text := send(t, try.request)
		if resp.StatusCode != try.code {
			t.Errorf("%s: %s, want %d\n%s", name, resp.Status, try.code, text)
		}
		toServer := try.code == 200 && strings.Contains(try.url, "/server/")
		if got := asked > before; got != toServer {
			t.Errorf("%s: the server was asked: %v", name, got)
		}
		if try.code != 421 && try.code != 404 {
			checkHeaders(t, name, resp)
		}
		if want := try.method + ` /below/api/v1/namespaces?limit=1 as Bearer secret, cookie ""`; toServer && text != want {
			t.Errorf("%s: the server got %s, want %s", name, text, want)
		}
	}
}

// checkHeaders wants no cookie and no policy of the server's.
func checkHeaders(t *testing.T, name string, resp *http.Response) {
	t.Helper()
	policies := resp.Header.Values("Content-Security-Policy")
	if len(policies) != 1 || !strings.HasPrefix(policies[0], "default-src 'none'") || len(resp.Cookies()) > 0 || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("%s: headers %v", name, resp.Header)
	}
}

// TestPagePolicy: the page has no script and no style in its text, and asks nobody else.
func TestPagePolicy(t *testing.T) {
	o := start(t, http.NotFoundHandler())
	resp, text := send(t, request{url: o.origin() + o.path})
	if resp.StatusCode != 200 || !strings.Contains(text, `src="app.js"`) {
		t.Fatalf("%s: %s", resp.Status, text)
	}
	if got := resp.Header.Get("Content-Security-Policy"); got != policy || strings.Contains(got, "unsafe") {
		t.Errorf("policy %s", got)
	}
	for _, forbidden := range []string{"<style", "style=", "onclick", "onload", "//"} {
		if strings.Contains(text, forbidden) {
			t.Errorf("the page has %s in it:\n%s", forbidden, text)
		}
	}
}

// TestPageIsOfItsSources: the page was built of the sources that are beside it. What it was built
// to is compared by make console-test, which needs node.
func TestPageIsOfItsSources(t *testing.T) {
	sum, err := os.ReadFile("page/sources.sum")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.Lines(string(sum)) {
		digest, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		want[name] = digest
	}
	got := map[string]string{}
	for _, root := range []string{"build.mjs", "package-lock.json", "package.json", "tsconfig.json", "src"} {
		err := filepath.WalkDir(filepath.Join("web", root), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(name)
			got[filepath.ToSlash(strings.TrimPrefix(name, "web"+string(filepath.Separator)))] = fmt.Sprintf("%x", sha256.Sum256(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the page is not of its sources; run make console (-page +sources):\n%s", diff)
	}
}

// mostBytes bounds what the console adds to a program.
const mostBytes = 1 << 20

func TestPageIsSmall(t *testing.T) {
	all := 0
	err := fs.WalkDir(built, "page", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := built.ReadFile(name)
		all += len(data)
		return err
	})
	if err != nil || all > mostBytes || all < 1<<10 {
		t.Errorf("the page has %d bytes (%v), want less than %d", all, err, mostBytes)
	}
}

// TestWatchFlows: lines of a watch arrive as the server writes them.
func TestWatchFlows(t *testing.T) {
	more := make(chan string)
	o := start(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for {
			select {
			case line := <-more:
				fmt.Fprintln(w, line)
				http.NewResponseController(w).Flush()
			case <-r.Context().Done():
				return
			}
		}
	}))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.origin()+o.path+"server/api/v1/pods?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	req.AddCookie(o.cookie)
	first := make(chan struct{})
	go func() { more <- "one"; close(first) }()
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	<-first
	lines := bufio.NewScanner(resp.Body)
	for _, want := range []string{"one", "two"} {
		if want == "two" {
			more <- want
		}
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("got %q (%v), want %q", lines.Text(), lines.Err(), want)
		}
	}
}

func TestServerIsAway(t *testing.T) {
	o := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	resp, text := send(t, request{"GET", o.origin() + o.path + "server/api", "", o.cookie, map[string]string{"Sec-Fetch-Site": "same-origin"}})
	if resp.StatusCode != http.StatusBadGateway || !strings.Contains(text, "the server can't be reached") {
		t.Errorf("%s: %s", resp.Status, text)
	}
}
