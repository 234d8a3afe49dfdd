package e2e

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// metricName is a metric in an expression of Prometheus, as the files below write it.
var metricName = regexp.MustCompile(`\b([a-z][a-z0-9_]*)\{`)

// TestMonitoring: the alerts and the dashboard of deploy/monitoring ask for metrics that a server
// has, under the names that it gives them.
func TestMonitoring(t *testing.T) {
	s := startProgram(t, "cluster", t.TempDir())
	// A webhook that nobody answers for, so that it is timed.
	webhook := `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingWebhookConfiguration","metadata":{"name":"away"},"webhooks":[{
		"name":"away.example.com","admissionReviewVersions":["v1"],"sideEffects":"None","failurePolicy":"Ignore","timeoutSeconds":1,
		"clientConfig":{"url":"https://127.0.0.1:1/"},
		"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["serviceaccounts"],"operations":["CREATE"]}]}]}`
	if code, body, err := s.do(http.MethodPost, "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "application/json", []byte(webhook)); err != nil || code != http.StatusCreated {
		t.Fatalf("create the webhook: %d %s %v", code, body, err)
	}
	if code, body := s.get("/api/v1/namespaces?watch=true&timeoutSeconds=1"); code != http.StatusOK { // so that watches are counted
		t.Fatalf("watch: %d %s", code, body)
	}
	asked := map[string]string{} // the file that asks for a metric
	for _, file := range []string{"alerts.yaml", "dashboard.json"} {
		text, err := os.ReadFile("../../deploy/monitoring/" + file)
		if err != nil {
			t.Fatal(err)
		}
		found := metricName.FindAllStringSubmatch(string(text), -1)
		if len(found) < 20 {
			t.Errorf("%s names %d metrics: is it read as it is written?", file, len(found))
		}
		for _, m := range found {
			asked[m[1]] = file
		}
	}
	delete(asked, "up") // what Prometheus says itself
	// The webhook is asked when it has been seen, and some things are counted after an answer.
	for end := time.Now().Add(hangs); len(asked) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("/metrics does not have these metrics after %v, by the file that asks for them: %v", hangs, asked)
		}
		if code, body, err := s.do(http.MethodPost, "/api/v1/namespaces/default/serviceaccounts?dryRun=All", "application/json", []byte(`{"metadata":{"generateName":"a-"}}`)); err != nil || code != http.StatusCreated {
			t.Fatalf("create: %d %s %v", code, body, err)
		}
		code, page := s.get("/metrics")
		if code != http.StatusOK {
			t.Fatalf("/metrics: %d", code)
		}
		for line := range strings.Lines(string(page)) {
			name, _, _ := strings.Cut(line, "{")
			name, _, _ = strings.Cut(name, " ")
			delete(asked, name)
		}
	}
}
