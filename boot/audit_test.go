package boot

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/server/audit"
)

// TestAuditFlags: the policy decides what is in the file.
func TestAuditFlags(t *testing.T) {
	dir := t.TempDir()
	policy, file := filepath.Join(dir, "policy.yaml"), filepath.Join(dir, "audit.log")
	if err := os.WriteFile(policy, []byte("apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: Request, resources: [{group: shop.example.com}]}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("server", func(t *testing.T) {
		i, client := running(t, func(o *Options) { o.Audit = AuditOptions{LogPath: file, PolicyFile: policy} })
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
	for want, options := range map[string]AuditOptions{
		"--audit-log-path: ":    {LogPath: "/nonexistent/audit.log"},
		"--audit-policy-file: ": {LogPath: "-", PolicyFile: "/nonexistent/policy.yaml"},
	} {
		o := NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory, o.Audit = 0, t.TempDir(), true, options
		if _, err := Open(context.Background(), widgetServer(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
