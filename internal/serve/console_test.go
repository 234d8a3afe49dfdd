package serve

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/program"
)

// TestConsole: what the page asks is asked by who has signed in, by their rights, and the audit log
// says so. A watch flows.
func TestConsole(t *testing.T) {
	dir := t.TempDir()
	tokens, log := filepath.Join(dir, "tokens.csv"), filepath.Join(dir, "audit.log")
	if err := os.WriteFile(tokens, []byte("secret,ada,1,\"readers\"\nmaster,root,2,\"system:masters\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	i, client := running(t, func(o *program.Options) {
		o.Serving.Console, o.Authentication.TokenFile, o.Audit.LogPath = true, tokens, log
	})
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	send := func(method, path string, cookie *http.Cookie, form url.Values) *http.Response {
		t.Helper()
		req, err := http.NewRequest(method, i.URL()+path, strings.NewReader(form.Encode()))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", i.URL())
		if cookie != nil {
			req.AddCookie(cookie)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	sessions := map[string]*http.Cookie{}
	for user, form := range map[string]url.Values{"ada": {"token": {"secret"}}, "root": {"token": {"master"}}, "admin": {"certificate": {"yes"}}} {
		resp := send("POST", "/console/login", nil, form)
		if resp.StatusCode != http.StatusSeeOther || len(resp.Cookies()) != 1 {
			t.Fatalf("%s signs in: %s", user, resp.Status)
		}
		sessions[user] = resp.Cookies()[0]
	}
	for user, want := range map[string]int{"ada": http.StatusForbidden, "root": http.StatusOK, "admin": http.StatusOK} {
		if resp := send("GET", "/console/server"+widgetsPath, sessions[user], nil); resp.StatusCode != want {
			t.Errorf("%s lists: %s, want %d", user, resp.Status, want)
		}
	}
	// A read that goes well has no record.
	if resp := send("DELETE", "/console/server"+widgetsPath+"/none", sessions["root"], nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("root deletes what is not there: %s", resp.Status)
	}
	watch := send("GET", "/console/server"+widgetsPath+"?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", sessions["root"], nil)
	if err := json.NewDecoder(watch.Body).Decode(new(any)); err != nil || watch.StatusCode != http.StatusOK {
		t.Errorf("a watch: %s, %v", watch.Status, err)
	}
	watch.Body.Close()
	read := func() string {
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	recorded := func(user string) bool {
		for line := range strings.Lines(read()) {
			if strings.Contains(line, `"requestURI":"`+widgetsPath) && strings.Contains(line, `"username":"`+user+`"`) {
				return true
			}
		}
		return false
	}
	for _, user := range []string{"ada", "root"} {
		for end := time.Now().Add(time.Minute); !recorded(user); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the audit log does not say what %s has asked:\n%s", user, read())
			}
		}
	}
	records := read()
	if strings.Contains(records, "secret") || strings.Contains(records, sessions["ada"].Value) {
		t.Error("the audit log has a credential")
	}
}

// TestNoConsole: without the flag there is none.
func TestNoConsole(t *testing.T) {
	i, client := running(t, nil)
	resp, err := client.Get(i.URL() + "/console/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNotFound {
		t.Errorf("/console/: %s, want 404", resp.Status)
	}
}

// TestNamesOfTheServer: the console is at the names of the certificate only.
func TestNamesOfTheServer(t *testing.T) {
	a := &access{hosts: []string{"localhost", "127.0.0.1", "::1", "api.example.com"}}
	for host, want := range map[string]bool{"localhost": true, "127.0.0.1": true, "[::1]": true, "API.example.com": true, "evil.example": false, "127.0.0.2": false, "": false} {
		if got := a.named(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}
