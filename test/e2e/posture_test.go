package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestOnlyLoopbackIsListenedOn: nobody but this machine reaches a server that was not told of an
// address.
func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	t.Cleanup(func() { noteShown(t) })
	s := start(t, filepath.Join(t.TempDir(), "data"))
	defer s.stop(syscall.SIGTERM)
	addresses := listeners(t, s.Cmd.Process.Pid)
	if len(addresses) == 0 {
		t.Error("the server has no socket that listens")
	}
	for _, ip := range addresses {
		if !ip.IsLoopback() {
			t.Errorf("the server listens on %v", ip)
		}
	}
}

// listeners are the addresses of the TCP sockets on which a process listens.
func listeners(t *testing.T, pid int) (addresses []net.IP) {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d", pid)
	files, err := os.ReadDir(proc + "/fd")
	if err != nil {
		t.Skip("no /proc here")
	}
	mine := map[string]bool{}
	for _, file := range files {
		if link, err := os.Readlink(proc + "/fd/" + file.Name()); err == nil {
			mine[link] = true
		}
	}
	for _, table := range []string{"/net/tcp", "/net/tcp6"} {
		data, err := os.ReadFile(proc + table)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && mine["socket:["+f[9]+"]"] {
				addresses = append(addresses, addressOf(t, f[1]))
			}
		}
	}
	return addresses
}

// addressOf reads an address of the kernel's tables, which are in words of four bytes, the last
// byte first.
func addressOf(t *testing.T, text string) net.IP {
	t.Helper()
	address, _, _ := strings.Cut(text, ":")
	ip, err := hex.DecodeString(address)
	if err != nil {
		t.Fatal(err)
	}
	for word := range slices.Chunk(ip, 4) {
		slices.Reverse(word)
	}
	return ip
}

// TestInsightsAreForTheAdministrator: what tells of the server is not for everybody, and what would
// change it from outside is not there.
func TestInsightsAreForTheAdministrator(t *testing.T) {
	t.Cleanup(func() { noteShown(t) })
	s := startProgram(t, "library", filepath.Join(t.TempDir(), "data"))
	defer s.stop(syscall.SIGTERM)
	token := s.token(t)
	for path, want := range map[string]int{"/metrics": 200, "/debug/storage": 200, "/debug/pprof/": 404, "/debug/pprof/heap": 404, "/debug/flags/v": 404, "/logs/": 404} {
		if code, body := s.get(path); code != want {
			t.Errorf("%s for the administrator: %d %.200s, want %d", path, code, body, want)
		}
		if code := s.withToken(t, token, path); code != http.StatusForbidden {
			t.Errorf("%s for somebody: %d, want 403", path, code)
		}
		if code := s.withToken(t, "", path); code != http.StatusUnauthorized {
			t.Errorf("%s for nobody: %d, want 401", path, code)
		}
	}
}

// token is one of a service account that may do nothing.
func (s *server) token(t *testing.T) string {
	t.Helper()
	var request struct{ Status struct{ Token string } }
	code, answer, err := s.do(http.MethodPost, "/api/v1/namespaces/default/serviceaccounts/default/token", "application/json", []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}`))
	if err == nil {
		err = json.Unmarshal(answer, &request)
	}
	if err != nil || request.Status.Token == "" {
		t.Fatalf("%d %v: %s", code, err, answer)
	}
	return request.Status.Token
}

// canary is what must not leave the objects that it is in.
const canary = "a-canary-that-nobody-else-writes"

// TestSecretsAreWrittenNowhere uses Secrets and tokens, rightly and wrongly, with as much of log
// and audit as there is. Neither is in what the server tells of itself.
func TestSecretsAreWrittenNowhere(t *testing.T) {
	t.Cleanup(func() { noteShown(t) })
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{level: RequestResponse}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startProgram(t, "cluster", filepath.Join(dir, "data"), "--v=9", "--audit-policy-file", policy)
	const secrets = "/api/v1/namespaces/default/secrets"
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	want := func(code int, method, path, contentType, body string) []byte {
		t.Helper()
		got, answer, err := s.do(method, path, contentType, []byte(body))
		if err != nil || got != code {
			t.Fatalf("%s %s: %d %s %v, want %d", method, path, got, answer, err, code)
		}
		return answer
	}
	const asJSON, asMerge, asApply = "application/json", "application/merge-patch+json", "application/apply-patch+yaml"
	want(201, "POST", secrets, asJSON, `{"metadata":{"name":"s"},"stringData":{"password":"`+canary+`"}}`)
	want(200, "PATCH", secrets+"/s", asMerge, `{"data":{"again":"`+encoded+`"}}`)
	want(200, "PATCH", secrets+"/s?fieldManager=m&force=true", asApply, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"third":"`+canary+`"}}`)
	want(400, "POST", secrets, asJSON, `{"metadata":{"name":"s"},"stringData":{"`+canary+`"}`)
	want(422, "PATCH", secrets+"/s", asMerge, `{"data":{"password":"`+canary+`"}}`)
	want(422, "POST", secrets, asJSON, `{"metadata":{"name":"Bad"},"stringData":{"password":"`+canary+`"}}`)
	want(409, "POST", secrets, asJSON, `{"metadata":{"name":"s"},"stringData":{"password":"`+canary+`"}}`)
	for _, path := range []string{secrets + "/s", secrets, secrets + "?watch=true&timeoutSeconds=1"} {
		if !strings.Contains(string(want(200, "GET", path, "", "")), encoded) {
			t.Errorf("%s does not show the Secret: the test shows nothing", path)
		}
	}

	token := s.token(t)
	want(201, "POST", "/apis/authentication.k8s.io/v1/tokenreviews", asJSON, `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"`+token+`"}}`)
	for bearer, code := range map[string]int{token: http.StatusForbidden, canary: http.StatusUnauthorized, token[:len(token)-9] + "AAAAAAAAA": http.StatusUnauthorized} {
		if got := s.withToken(t, bearer, secrets); got != code {
			t.Errorf("with a token: %d, want %d", got, code)
		}
	}

	told := map[string]string{"/metrics": string(want(200, "GET", "/metrics", "", "")), "/debug/storage": string(want(200, "GET", "/debug/storage", "", ""))}
	if err := s.stop(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	audit, err := os.ReadFile(filepath.Join(dir, "data", "audit", "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	told["the audit log"], told["the log"] = string(audit), s.output.String()
	signature := token[strings.LastIndex(token, ".")+1:]
	for where, text := range told {
		for what, secret := range map[string]string{"the Secret": canary, "the Secret, encoded": encoded, "the token": signature} {
			if at := strings.Index(text, secret); at >= 0 {
				t.Errorf("%s has %s: %s", where, what, text[max(0, at-300):at])
			}
		}
	}
	if !strings.Contains(told["the audit log"], `"secrets"`) || !strings.Contains(told["the log"], secrets) {
		t.Error("the logs say nothing of Secrets: the test shows nothing")
	}
}

// withToken is the code of a GET by whom a token says, nobody if it is empty.
func (s *server) withToken(t *testing.T, token, path string) int {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := s.anonymous().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// noteShown notes that a test of docs/reliability.md has shown what it is there for.
func noteShown(t *testing.T) {
	if !t.Failed() && !t.Skipped() {
		drill.Posture.Count("promises shown", 1)
	}
}
