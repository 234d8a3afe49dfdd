package packaging

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/typeplane/typeplane/internal/testserver"
)

// panel is one of the dashboard.
type panel struct {
	Type, Title string
	GridPos     struct{ X, Y, W, H int }
	FieldConfig struct{ Defaults struct{ Unit string } }
	Targets     []struct{ Expr, LegendFormat string }

	shown []line // what it shows
}

// line is a series by its legend.
type line struct {
	legend string
	series
}

// interval is what Grafana makes of $__rate_interval for a page of the last minute.
const interval = "19s"

// TestDashboard has a Prometheus scrape a busy server, and asks it what each panel asks. No panel
// is empty, each series has a legend of its own, and the unit is that of the expression. What the
// page shows is drawn into bin/dashboard.svg.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deploy, "monitoring", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Panels     []*panel
		Templating struct {
			List []struct {
				Name  string
				Query any
			}
		}
	}
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatal(err)
	}
	program := built(t)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	server, err := testserver.Start(ctx, exec.Command(program, "--data-dir", t.TempDir(), "--secure-port", "0", "--max-requests-inflight", "8", "--max-mutating-requests-inflight", "4"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	p := scraped(t, server)
	busy(t, server)
	eventually(t, func() string {
		var empty []string
		for _, panel := range page.Panels {
			panel.shown = nil
			for _, target := range panel.Targets {
				expression := strings.NewReplacer("$__rate_interval", interval, "$job", ".+", "$instance", ".+").Replace(target.Expr)
				found := p.lately(t, expression)
				if len(found) == 0 {
					empty = append(empty, fmt.Sprintf("%s: %s", panel.Title, expression))
				}
				for _, s := range found {
					panel.shown = append(panel.shown, line{legendOf(target.LegendFormat, s), s})
				}
			}
		}
		if len(empty) > 0 {
			return "nothing is shown by\n" + strings.Join(empty, "\n")
		}
		if n := len(page.Panels[1].shown[0].Values); n < 20 { // rates since there are two scrapes
			return fmt.Sprintf("%d seconds are too few for a picture", n)
		}
		return ""
	})
	for _, panel := range page.Panels {
		legends := map[string]bool{}
		for _, l := range panel.shown {
			if legends[l.legend] || strings.Trim(l.legend, " .,") == "" {
				t.Errorf("%s: two series have the legend %q, or one has none", panel.Title, l.legend)
			}
			legends[l.legend] = true
			value, _ := l.last()
			t.Logf("%s: %s: %s", panel.Title, l.legend, inUnit(value, panel.FieldConfig.Defaults.Unit))
		}
		for _, target := range panel.Targets {
			if unit := panel.FieldConfig.Defaults.Unit; !unitOf(target.Expr).MatchString(unit) {
				t.Errorf("%s: the unit is %s, and the expression is of %s: %s", panel.Title, unit, unitOf(target.Expr), target.Expr)
			}
		}
	}
	lint(t, server)
	for _, variable := range page.Templating.List {
		asks := regexp.MustCompile(`label_values\((.*), (\w+)\)`).FindStringSubmatch(fmt.Sprint(variable.Query))
		if asks == nil {
			continue // the data source
		}
		var values []string
		p.ask(t, "label/"+asks[2]+"/values", url.Values{"match[]": {strings.ReplaceAll(asks[1], "$job", ".+")}}, &values)
		if len(values) != 1 {
			t.Errorf("the variable %s has the values %v, and there is one server", variable.Name, values)
		}
	}
	if err := os.MkdirAll(filepath.Join(root, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "bin"), "dashboard.svg", drawn(page.Panels))
}

// namedElsewhere are metrics whose names promtool would have otherwise: those of the etcd inside
// the server, and two that Kubernetes has called so.
var namedElsewhere = regexp.MustCompile(`^(etcd_(debugging|disk|server)_|apiserver_admission_webhook_(rejection|fail_open)_count )`)

// lint has promtool judge the names, types and help texts of all metrics of a server.
func lint(t *testing.T, server *testserver.Process) {
	t.Helper()
	code, metrics := send(t.Context(), server, "", http.MethodGet, "metrics", "")
	if code != http.StatusOK || !strings.Contains(metrics, "apiserver_request_total{") {
		t.Fatalf("/metrics: %d %.300s", code, metrics)
	}
	said, _ := run(t, []byte(metrics), "promtool", "check", "metrics") // it fails for a word of any
	for complaint := range strings.Lines(said) {
		if !namedElsewhere.MatchString(complaint) {
			t.Errorf("promtool check metrics: %s", complaint)
		}
	}
}

// legendOf fills a format of Grafana with labels.
func legendOf(format string, s series) string {
	return regexp.MustCompile(`\{\{(\w+)\}\}`).ReplaceAllStringFunc(format, func(name string) string {
		return s.Metric[strings.Trim(name, "{}")]
	})
}

// unitOf is the unit that the value of an expression has, by the names of its metrics.
func unitOf(expression string) *regexp.Regexp {
	for _, rule := range []struct{ has, unit string }{
		{` / `, `^percentunit$`},
		{`_seconds_bucket`, `^s$`},
		{`_sizes_sum`, `^Bps$`},
		{`cpu_seconds_total`, `^short$`}, // seconds of a second
		{`_bytes\{`, `^bytes$`},
		{`rate\(\w*requests?_`, `^(reqps|ops)$`},
		{`rate\(`, `^(cps|ops)$`},
	} {
		if regexp.MustCompile(rule.has).MatchString(expression) {
			return regexp.MustCompile(rule.unit)
		}
	}
	return regexp.MustCompile(`^(short|none)$`)
}

// busy has all asked of a server that the dashboard has a panel for, until the test ends. A webhook
// takes its time, users wait for each other, and one is refused.
func busy(t *testing.T, server *testserver.Process) {
	webhook := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review struct{ Request struct{ UID string } }
		json.NewDecoder(r.Body).Decode(&review)
		time.Sleep(100 * time.Millisecond)
		fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.Request.UID)
	}))
	t.Cleanup(webhook.Close)
	authority := base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: webhook.Certificate().Raw}))
	for path, body := range map[string]string{
		"apis/rbac.authorization.k8s.io/v1/clusterrolebindings": `{"metadata":{"name":"busy"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"},
			"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"ann"},{"kind":"User","apiGroup":"rbac.authorization.k8s.io","name":"bob"}]}`,
		"apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations": fmt.Sprintf(`{"metadata":{"name":"slow"},"webhooks":[{"name":"slow.example.com","admissionReviewVersions":["v1"],
			"sideEffects":"None","clientConfig":{"url":"%s/","caBundle":%q},"rules":[{"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"],"operations":["CREATE"]}]}]}`, webhook.URL, authority),
		"apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations": `{"metadata":{"name":"narrow"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}}}`,
		"apis/flowcontrol.apiserver.k8s.io/v1/flowschemas": `{"metadata":{"name":"narrow"},"spec":{"priorityLevelConfiguration":{"name":"narrow"},"matchingPrecedence":500,
			"rules":[{"subjects":[{"kind":"User","user":{"name":"bob"}}],"resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],"namespaces":["*"],"clusterScope":true}]}]}}`,
	} {
		if code, answer := send(t.Context(), server, "", http.MethodPost, path, body); code != http.StatusCreated {
			t.Fatalf("%s: %d %s", path, code, answer)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	t.Cleanup(func() {
		stop()
		all.Wait()
	})
	const configMaps = "api/v1/namespaces/default/configmaps"
	all.Go(func() {
		for ctx.Err() == nil {
			send(ctx, server, "", http.MethodGet, configMaps+"?watch=true", "")
		}
	})
	for i := range 24 {
		user, name := "ann", fmt.Sprintf("%s/one-%d", configMaps, i)
		if i%2 == 1 {
			user = "bob"
		}
		all.Go(func() {
			for ctx.Err() == nil {
				send(ctx, server, user, http.MethodPost, configMaps, fmt.Sprintf(`{"metadata":{"name":"one-%d"},"data":{"a":"1"}}`, i))
				send(ctx, server, user, http.MethodGet, name, "")
				send(ctx, server, user, http.MethodPatch, name, `{"data":{"a":"2"}}`)
				send(ctx, server, user, http.MethodGet, configMaps, "")
				send(ctx, server, user, http.MethodDelete, name, "")
				select { // so that others have processors, too
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
	}
}

// send sends a request in the name of a user, or of the administrator.
func send(ctx context.Context, server *testserver.Process, user, method, path, body string) (code int, answer string) {
	req, err := http.NewRequestWithContext(ctx, method, server.URL+"/"+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return 0, err.Error()
	}
	req.Header.Set("Content-Type", "application/json")
	if method == http.MethodPatch {
		req.Header.Set("Content-Type", "application/merge-patch+json")
	}
	if user != "" {
		req.Header.Set("Impersonate-User", user)
	}
	resp, err := server.Client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(data)
}
