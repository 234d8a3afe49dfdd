package tool_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/delegated"
	"github.com/typeplane/typeplane/internal/tool"
)

// userCommand runs the command user at a server.
func userCommand(t *testing.T, program typeplane.Server, kubeconfig string, args ...string) (out, log string, err error) {
	t.Helper()
	var o, e bytes.Buffer
	args = append(append([]string{"user"}, args...), "--kubeconfig", kubeconfig)
	err = tool.Run(t.Context(), program, args, tool.Console{In: strings.NewReader(""), Out: &o, Err: &e})
	return o.String(), e.String(), err
}

const whoami = "apis/authentication.k8s.io/v1/selfsubjectreviews"

// client is one of a user with a kubeconfig.
func client(t *testing.T, text string) *delegated.Client {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := delegated.ReadKubeconfig(file)
	if err != nil {
		t.Fatal(err)
	}
	c, err := delegated.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestUser: an added user is known and listed. They are refused when they are revoked, and known
// again when they are added again.
func TestUser(t *testing.T) {
	program := typeplane.Server{Name: "plane", APIs: features.All()}
	server := apitest.Start(t, program)
	run := func(args ...string) (string, string) {
		t.Helper()
		out, log, err := userCommand(t, program, server.KubeconfigFile, args...)
		if err != nil {
			t.Fatalf("user %q: %v", args, err)
		}
		return out, log
	}
	text, log := run("add", "ann@example.com", "--group", "readers", "--group", "writers", "--valid", "2h")
	if !strings.Contains(log, "ann@example.com is known until 20") || !strings.Contains(log, "in readers, writers") || !strings.Contains(log, "--server") {
		t.Errorf("log: %s", log)
	}
	var me struct {
		Status struct {
			UserInfo struct {
				Username string
				Groups   []string
			}
		}
	}
	ann := client(t, text)
	if err := ann.Send(t.Context(), http.MethodPost, whoami, nil, struct{}{}, &me); err != nil {
		t.Fatal(err)
	}
	if who := me.Status.UserInfo; who.Username != "ann@example.com" || strings.Join(who.Groups, " ") != "readers writers system:authenticated" {
		t.Errorf("%+v", who)
	}
	other, _ := run("add", "bob", "--server", "https://api.example.com:6443")
	if !strings.Contains(other, "server: https://api.example.com:6443") || !strings.Contains(other, "name: plane-bob") {
		t.Errorf("bob's kubeconfig: %s", other)
	}
	list, _ := run("list")
	if lines := strings.Split(list, "\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], "NAME ") || !strings.HasPrefix(lines[1], "ann@example.com   readers,writers   ") || !strings.HasPrefix(lines[2], "bob               <none>            ") {
		t.Errorf("list:\n%s", list)
	}
	if out, _ := run("revoke", "ann@example.com"); !strings.Contains(out, "ann@example.com is refused from now on: 1 revoked") {
		t.Errorf("revoke: %s", out)
	}
	for end := time.Now().Add(time.Minute); ann.Send(t.Context(), http.MethodPost, whoami, nil, struct{}{}, &me) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("ann is still known")
		}
	}
	if list, _ := run("list"); !strings.Contains(list, "revoked") || !strings.Contains(list, "good") {
		t.Errorf("list:\n%s", list)
	}
	if out, _ := run("revoke", "ann@example.com"); !strings.Contains(out, "was revoked before") {
		t.Errorf("revoke: %s", out)
	}
	for range 2 { // the second finds the binding of the first
		text, log = run("add", "ann@example.com", "--clusterrole", "cluster-admin")
		if !strings.Contains(log, "the role cluster-admin says what they may do") {
			t.Errorf("log: %s", log)
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) { // a role counts when the server has seen it
		err := client(t, text).Send(t.Context(), http.MethodGet, "api/v1/namespaces", nil, nil, &struct{}{})
		if err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	text, _ = run("add", "ann@example.com")
	if err := client(t, text).Send(t.Context(), http.MethodPost, whoami, nil, struct{}{}, &me); err != nil {
		t.Errorf("added again: %v", err)
	}
}

// TestUserRefused: what can't be done is said, with the cure.
func TestUserRefused(t *testing.T) {
	slim := typeplane.Server{Name: "slim", APIs: features.All()}
	server := apitest.Start(t, slim, func(o *typeplane.Options) { o.API.Enable = []string{"leases"} })
	for line, want := range map[string]string{
		"":                               "want one of add NAME, list and revoke NAME",
		"ad ann":                         `"ad": want one of add NAME`,
		"add":                            "want one argument, the name of the user, and got 0",
		"add system:node":                "does not begin with system:",
		"add ann --group system:masters": "give the user a role: --clusterrole=cluster-admin",
		"list --clusterrole view":        "--clusterrole is for user add",
		"add ann --valid 1m":             "--valid=1m0s: want from 10m0s to 8760h0m0s",
		"add ann --server http://x":      "want a URL like https://api.example.com:6443",
		"list ann":                       "this command has no arguments",
		"list --group readers":           "--group is for user add",
		"revoke ann --valid 1h":          "--valid is for user add",
		"revoke":                         "want one argument, the name of the user",
		"add ann":                        "the server does not serve certificatesigningrequests",
		"list":                           "the server does not serve credentials",
		"list --grup x":                  "did you mean --group?",
	} {
		_, _, err := userCommand(t, slim, server.KubeconfigFile, strings.Fields(line)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("user %s: %v, want %s", line, err, want)
		}
	}
	var out bytes.Buffer
	err := tool.Run(t.Context(), slim, []string{"user", "list", "--data-dir", t.TempDir()}, tool.Console{Out: &out, Err: &out})
	if err == nil || !strings.Contains(err.Error(), "no server has run on it") {
		t.Error(err)
	}
	full := typeplane.Server{Name: "plane", APIs: features.All()}
	if _, _, err := userCommand(t, full, apitest.Start(t, full).KubeconfigFile, "add", "ann", "--clusterrole", "nothing"); err == nil || !strings.Contains(err.Error(), `--clusterrole: there is no ClusterRole "nothing"`) {
		t.Error(err)
	}
	if _, _, err := userCommand(t, full, apitest.Start(t, full).KubeconfigFile, "revoke", "nobody"); err == nil || !strings.Contains(err.Error(), `no credential of "nobody" is known`) {
		t.Error(err)
	}
}
