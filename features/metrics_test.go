package features_test

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/features/servertest"
	"github.com/typeplane/typeplane/internal/recovery"
)

var updateMetrics = flag.Bool("update-metrics", false, "write docs/metrics.md, the metrics that a server has")

const metricsPage = "../docs/metrics.md"

// TestMetricsPage compares docs/metrics.md with the metrics of a server that serves all features
// and keeps its objects in an etcd inside it. A metric shows only when something was counted, so
// the test has everything counted that is registered.
func TestMetricsPage(t *testing.T) {
	var registry *prometheus.Registry
	take := typeplane.API{Extend: func(_ context.Context, h *typeplane.Host) error {
		registry = h.Metrics.(*prometheus.Registry)
		return nil
	}}
	c := servertest.StartProgram(t, typeplane.Server{Name: "plane", APIs: append(features.All(), take)}, apitest.Embedded)
	countEverything(t, c)
	counted := gatherAll(t, registry)
	others := ofLibraries(t, c, counted)
	now := printMetrics(t, counted, others)
	if *updateMetrics {
		if err := os.WriteFile(metricsPage, []byte(now), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := gocmp.Diff(string(want), now); diff != "" {
		t.Errorf("the metrics are not those of %s; if it is meant, run this test with -update-metrics (-page +server):\n%s", metricsPage, diff)
	}
}

const (
	configMapsPath = "/api/v1/namespaces/default/configmaps"
	validatingPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
)

// countEverything does what is counted: a refusal of a webhook and one that can't be asked, a
// watch, and an object that goes after its owner.
func countEverything(t *testing.T, c servertest.Client) {
	t.Helper()
	_ = recovery.Object(slog.New(slog.DiscardHandler), "rbac", "", func() { panic("counted") })
	hook := httptest.NewTLSServer(http.HandlerFunc(refuseBad))
	t.Cleanup(hook.Close)
	closed := httptest.NewTLSServer(nil)
	closed.Close()
	webhook := func(name, url, policy string) string {
		ca, err := json.Marshal(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: hook.Certificate().Raw}))
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"name":%q,"sideEffects":"None","admissionReviewVersions":["v1"],"failurePolicy":%q,"rules":[{"operations":["CREATE"],"apiGroups":[""],"apiVersions":["v1"],"resources":["configmaps"]}],"clientConfig":{"url":%q,"caBundle":%s}}`, name, policy, url, ca)
	}
	c.Want(201, "asked", "POST", validatingPath, fmt.Sprintf(`{"metadata":{"name":"hooks"},"webhooks":[%s,%s]}`,
		webhook("asked.example.com", hook.URL, "Fail"), webhook("gone.example.com", closed.URL, "Ignore")))
	servertest.Eventually(t, "no webhook refuses", func() bool {
		code, _ := c.Do("POST", configMapsPath, `{"metadata":{"generateName":"bad-"}}`)
		return code == 403
	})
	var owner struct{ Metadata struct{ UID string } }
	if err := json.Unmarshal([]byte(c.Want(201, "uid", "POST", configMapsPath, `{"metadata":{"name":"owner"}}`)), &owner); err != nil {
		t.Fatal(err)
	}
	c.Want(201, "owned", "POST", configMapsPath, fmt.Sprintf(`{"metadata":{"name":"owned","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":%q}]}}`, owner.Metadata.UID))
	c.Want(200, "ADDED", "GET", configMapsPath+"?watch=1&timeoutSeconds=1", "")
	c.Want(200, "Success", "DELETE", configMapsPath+"/owner", "")
	c.Until(404, "not found", configMapsPath+"/owned")
}

// refuseBad is a webhook that says no to names that begin with bad.
func refuseBad(w http.ResponseWriter, req *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(req.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	allowed := !strings.Contains(string(review.Request.Object.Raw), `"bad-`)
	review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: allowed}
	if !allowed {
		review.Response.Result = &metav1.Status{Code: http.StatusForbidden, Message: "no"}
	}
	json.NewEncoder(w).Encode(review)
}

// metric is what a page of metrics says of one.
type metric struct{ kind, help, labels string }

var described = regexp.MustCompile(`^Desc\{fqName: "(\w+)"`)

// registered are the names that a registry knows of, counted or not.
func registered(registry *prometheus.Registry) (names []string) {
	descriptions := make(chan *prometheus.Desc)
	go func() {
		registry.Describe(descriptions)
		close(descriptions)
	}()
	for d := range descriptions {
		if m := described.FindStringSubmatch(d.String()); m != nil && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

// gatherAll returns what was counted when that is all that is registered.
func gatherAll(t *testing.T, registry *prometheus.Registry) map[string]metric {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		counted := gather(t, registry)
		lacking := slices.DeleteFunc(registered(registry), func(name string) bool { return counted[name].help != "" })
		if len(lacking) == 0 {
			return counted
		}
		if time.Now().After(end) {
			t.Fatalf("nothing was counted by %s", lacking)
		}
	}
}

// gather returns what was counted, by name.
func gather(t *testing.T, registry *prometheus.Registry) map[string]metric {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted := map[string]metric{}
	for _, f := range families {
		labels := map[string]bool{}
		for _, m := range f.GetMetric() {
			for _, pair := range m.GetLabel() {
				labels["`"+pair.GetName()+"`"] = true
			}
		}
		counted[f.GetName()] = metric{strings.ToLower(f.GetType().String()), f.GetHelp(), strings.Join(slices.Sorted(maps.Keys(labels)), ", ")}
	}
	return counted
}

// libraries count what they do for the whole process. Which metrics they have is theirs to say.
var libraries = []struct{ prefix, who string }{
	{"etcd_", "the etcd inside the server, and its client"},
	{"go_", "the Go runtime"},
	{"grpc_", "gRPC, of the etcd inside the server"},
	{"os_fd_", "the etcd inside the server: file descriptors"},
	{"process_", "the process: processor time, memory, file descriptors"},
	{"promhttp_", "the page of metrics"},
}

// ofLibraries returns a line for each library whose metrics are on the page of the server.
func ofLibraries(t *testing.T, c servertest.Client, ours map[string]metric) string {
	t.Helper()
	found := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\w+) `).FindAllStringSubmatch(c.Want(200, "go_goroutines", "GET", "/metrics", ""), -1) {
		at := slices.IndexFunc(libraries, func(l struct{ prefix, who string }) bool { return strings.HasPrefix(m[1], l.prefix) })
		switch {
		case ours[m[1]].help != "":
		case at < 0:
			t.Errorf("nobody says whose metric %s is", m[1])
		default:
			found[libraries[at].prefix] = true
		}
	}
	var b strings.Builder
	for _, l := range libraries {
		if !found[l.prefix] {
			t.Errorf("no metric of a library begins with %s", l.prefix)
		}
		fmt.Fprintf(&b, "| `%s…` | %s |\n", l.prefix, l.who)
	}
	return b.String()
}

// tasks are the sections of the page.
var tasks = []struct {
	title   string
	pattern *regexp.Regexp
}{
	{"Requests", regexp.MustCompile(`^apiserver_(current|dropped|longrunning|request|response|watch)_|^typeplane_request_`)},
	{"What runs, and its certificates", regexp.MustCompile(`_build_info$|^typeplane_(certificate|loop)_`)},
	{"The database", regexp.MustCompile(`^etcd_request|^apiserver_(storage|resource)_|^typeplane_storage_`)},
	{"Watch caches", regexp.MustCompile(`^typeplane_watch_cache_`)},
	{"Fairness", regexp.MustCompile(`^apiserver_flowcontrol_`)},
	{"Admission", regexp.MustCompile(`^apiserver_admission_`)},
	{"The audit log", regexp.MustCompile(`^apiserver_audit_`)},
	{"Collecting garbage", regexp.MustCompile(`^garbagecollector_|^workqueue_|^typeplane_garbage_`)},
}

func printMetrics(t *testing.T, counted map[string]metric, others string) string {
	t.Helper()
	rows := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(counted)) {
		m, title := counted[name], ""
		for _, task := range tasks {
			if task.pattern.MatchString(name) {
				title = task.title
			}
		}
		if title == "" {
			t.Errorf("%s belongs to no section of the page", name)
		}
		rows[title] += fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, m.kind, m.labels, strings.ReplaceAll(m.help, "|", `\|`))
	}
	var b strings.Builder
	b.WriteString("<!-- Code generated by go test ./features -run Metrics -update-metrics. DO NOT EDIT. -->\n\n# Metrics\n\n" +
		"`GET /metrics` has these, for whoever may get that path, in the text format of Prometheus. They are those of a server\n" +
		"with `features.All()` and an etcd inside it; one with less has less. What Kubernetes has is called as there. What it\n" +
		"does not have begins with `typeplane_`. [Operations](operations.md#metrics) says which are worth an alarm.\n")
	for _, task := range tasks {
		fmt.Fprintf(&b, "\n## %s\n\n| metric | type | labels | what it says |\n|---|---|---|---|\n%s", task.title, rows[task.title])
	}
	fmt.Fprintf(&b, "\n## Of libraries\n\nThe page has what they count for the whole process, too. Their documents have the names.\n\n| names | whose |\n|---|---|\n%s", others)
	return b.String()
}
