package delegated

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestUsers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	write("token", "from-a-file\n")
	all := `apiVersion: v1
kind: Config
users:
- {name: 'a.tools.svc:8443', user: {token: port}}
- {name: a.tools.svc, user: {token: host}}
- {name: '*.tools.svc', user: {tokenFile: token}}
- {name: '*.svc:8443', user: {token: domain-and-port}}
- {name: me, user: {token: current}}
contexts: [{name: c, context: {cluster: none, user: me}}]
`
	for text, hosts := range map[string]map[string]string{
		all + "current-context: c": {
			"a.tools.svc:8443": "port", "a.tools.svc:443": "host", "b.tools.svc:443": "from-a-file", "b.tools.svc:8443": "domain-and-port",
			"b.tools.svc:9": "current", "example.com:443": "current", "10.0.0.1:443": "current",
		},
		all: {"example.com:443": "", "a.tools.svc:443": "host"},
		"users: [{name: '*', user: {token: all}}, {name: me, user: {token: current}}]\ncontexts: [{name: c, context: {user: me}}]\ncurrent-context: c": {"example.com:443": "all", "[::1]:443": "all"},
		"{}": {"example.com:443": ""},
	} {
		users, err := ReadUsers(write("kubeconfig", text))
		if err != nil {
			t.Fatal(err)
		}
		for host, want := range hosts {
			got := ""
			if c := users.For(host); c != nil {
				_, token := c.Credential()
				if got, err = token(); err != nil {
					t.Fatal(err)
				}
			}
			if got != want {
				t.Errorf("%s: %q, want %q", host, got, want)
			}
		}
	}
	for text, want := range map[string]string{
		"users: [{name: a, user: {tokenFile: none}}]":       `user "a": open `,
		"users: [{name: a, user: {exec: {command: x}}}]":    `user "a": exec and auth-provider are not supported`,
		"users: [{name: a, user: {username: x}}]":           `user "a": username and password are not supported`,
		"users: [{name: a, user: {client-certificate: x}}]": `user "a": a client certificate and its key go together`,
		"users: {": "yaml: ",
		"users: [{name: a, user: {client-certificate: token, client-key: token}}]": `user "a": client certificate: tls: `,
	} {
		if _, err := ReadUsers(write("kubeconfig", text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := ReadUsers(filepath.Join(dir, "missing")); err == nil {
		t.Error("a file that is missing")
	}
}
