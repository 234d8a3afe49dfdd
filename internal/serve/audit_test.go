package serve

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
	"github.com/typeplane/typeplane/internal/server/audit"
)

// TestAuditFlags: the policy decides what is in the file.
func TestAuditFlags(t *testing.T) {
	dir := t.TempDir()
	policy, file := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Request, resources: [{group: shop.example.com}]}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("server", func(t *testing.T) {
		i, client := running(t, func(o *program.Options) { o.Audit = program.AuditOptions{LogPath: file, PolicyFile: policy} })
		post(t, client, i.URL()+widgetsPath, aWidget)
		getBody(t, client, i.URL()+"/version")
		if got := getBody(t, client, i.URL()+"/metrics"); !strings.Contains(got, "apiserver_audit_event_total 1") || !strings.Contains(got, `apiserver_audit_error_total{plugin="log"} 0`) {
			t.Error("the metrics do not have the event")
		}
	})
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var e audit.Event
	if err := json.Unmarshal(data, &e); err != nil || e.Verb != "create" || e.User.Username != adminUser || e.ResponseStatus.Code != 201 || !strings.Contains(string(e.RequestObject), `"name":"w"`) {
		t.Errorf("%v: %s", err, data)
	}
}

func TestAuditFlagsRefuse(t *testing.T) {
	for want, options := range map[string]program.AuditOptions{
		"--audit-log-path: ":    {LogPath: "/nonexistent/audit.log"},
		"--audit-policy-file: ": {LogPath: "-", PolicyFile: "/nonexistent/policy.yaml"},
	} {
		o := program.NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory, o.Audit = 0, t.TempDir(), true, options
		if _, err := Open(context.Background(), programtest.Widgets(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestAuditByDefault: who says nothing has a log of writes and of refusals in the data directory,
// and none of reads. It is no reason for a restore to refuse the directory.
func TestAuditByDefault(t *testing.T) {
	dir := t.TempDir()
	t.Run("server", func(t *testing.T) {
		i, client := running(t, func(o *program.Options) { o.Store.InMemory, o.Store.DataDir = false, dir })
		post(t, client, i.URL()+widgetsPath, aWidget)
		getBody(t, client, i.URL()+widgetsPath)
		stranger := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		defer stranger.CloseIdleConnections()
		for _, method := range []string{http.MethodGet, http.MethodDelete} {
			req, err := http.NewRequest(method, i.URL()+widgetsPath, nil)
			if err != nil {
				t.Fatal(err)
			}
			resp, err := stranger.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
		}
	})
	data, err := os.ReadFile(filepath.Join(dir, "audit", "audit.log"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(string(data)) {
		var e audit.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(e.Verb, " ", e.ResponseStatus.Code, " ", e.Level))
	}
	if diff := cmp.Diff([]string{"create 201 Metadata", "list 401 Metadata", "deletecollection 401 Metadata"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if info, err := os.Stat(filepath.Join(dir, "audit", "audit.log")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAuditIsTurnedOff(t *testing.T) {
	fs, flags := program.NewFlags(program.Server{Name: "widgets"})
	if err := fs.Parse([]string{"--audit-log-path="}); err != nil || flags.Audit.LogPath != "" {
		t.Fatalf("%+v, %v", flags.Audit, err)
	}
	i, _ := running(t, func(o *program.Options) { o.Store.InMemory, o.Audit = false, flags.Audit })
	if _, err := os.Stat(filepath.Join(filepath.Dir(i.Kubeconfig()), "audit")); !os.IsNotExist(err) {
		t.Errorf("there is something: %v", err)
	}
}

// What the server keeps by itself has the size that its documentation says: server/audit holds that
// at every moment.
func TestSizeOfAuditLog(t *testing.T) {
	p := &plan{options: program.NewOptions("widgets")}
	config, err := p.auditConfig(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if all := config.MaxSize << 20 * (config.MaxBackups + 1); config.MaxBackups == 0 || all > 200_000_000 || all < 150_000_000 {
		t.Errorf("%d MiB and %d older files: %d bytes", config.MaxSize, config.MaxBackups, all)
	}
}
