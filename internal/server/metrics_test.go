package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

func measured(t *testing.T, change func(*server.Config)) *server.Server {
	t.Helper()
	r := books()
	r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) {
		return batches([]rest.Event{{Type: rest.Added, Object: aBook("a")}, {Type: rest.Added, Object: aBook("b")}}), nil
	})
	c := config(t, r)
	c.Metrics = prometheus.NewRegistry()
	if change != nil {
		change(&c)
	}
	return newServer(t, c)
}

// page returns the lines of /metrics whose names begin with one of ours.
func page(t *testing.T, h http.Handler) string {
	t.Helper()
	w := do(h, request{path: "/metrics"})
	if w.Code != http.StatusOK {
		t.Fatalf("/metrics: %d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func TestMetricsOfRequests(t *testing.T) {
	s := measured(t, nil)
	do(s, request{path: booksPath})
	do(s, request{path: booksPath + "/a"})
	do(s, request{path: booksPath + "/a"})
	do(s, request{path: booksPath + "?watch=1"})
	do(s, request{path: "/apis/library.example.com/v1/books"})
	do(s, request{method: "DELETE", path: booksPath + "/a?dryRun=All"})
	do(s, request{path: booksPath, header: map[string]string{"Test-User": ""}})
	do(s, request{path: "/livez"})
	got := page(t, s)
	const book = `group="library.example.com",resource="books",scope="`
	for _, want := range []string{
		`apiserver_request_total{code="200",component="apiserver",dry_run="",` + book + `resource",subresource="",verb="GET",version="v1"} 2`,
		`apiserver_request_total{code="200",component="apiserver",dry_run="",` + book + `namespace",subresource="",verb="LIST",version="v1"} 1`,
		`apiserver_request_total{code="401",component="apiserver",dry_run="",` + book + `namespace",subresource="",verb="LIST",version="v1"} 1`,
		`apiserver_request_total{code="200",component="apiserver",dry_run="",` + book + `cluster",subresource="",verb="LIST",version="v1"} 1`,
		`apiserver_request_total{code="200",component="apiserver",dry_run="All",` + book + `resource",subresource="",verb="DELETE",version="v1"} 1`,
		`apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="",scope="",subresource="/livez",verb="GET",version=""} 1`,
		`apiserver_request_duration_seconds_count{component="apiserver",dry_run="",` + book + `resource",subresource="",verb="GET",version="v1"} 2`,
		`apiserver_response_sizes_count{component="apiserver",` + book + `resource",subresource="",verb="GET",version="v1"} 2`,
		`apiserver_longrunning_requests{component="apiserver",` + book + `namespace",subresource="",verb="WATCH",version="v1"} 0`,
		`apiserver_watch_events_total{group="library.example.com",resource="books",version="v1"} 2`,
		// The one who asks for the page is answered at this moment.
		`apiserver_current_inflight_requests{request_kind="readOnly"} 1`,
		"go_goroutines ",
		"process_resident_memory_bytes ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestMetricsAreBounded: names that somebody makes up do not become labels.
func TestMetricsAreBounded(t *testing.T) {
	s := measured(t, nil)
	for _, path := range []string{"/apis/a.b/v1/nosuch", "/apis/library.example.com/v1/nosuch", "/concocted/up", "/livez/concocted", booksPath + "/a/concocted"} {
		for _, method := range []string{"GET", "CONCOCT"} {
			do(s, request{method: method, path: path})
		}
	}
	got := page(t, s)
	for _, bad := range []string{"concoct", "CONCOCT", "nosuch", "a.b"} {
		if strings.Contains(got, bad) {
			t.Errorf("%q is in\n%s", bad, got)
		}
	}
	if !strings.Contains(got, `resource="other"`) || !strings.Contains(got, `verb="other"`) {
		t.Errorf("nothing is other in\n%s", got)
	}
}

// TestMetricsAreForWhoMay: the page goes through the authorizer like any path, and is not there
// without a registry.
func TestMetricsAreForWhoMay(t *testing.T) {
	s := measured(t, nil)
	for user, code := range map[string]int{"": http.StatusUnauthorized, "mallory": http.StatusForbidden, "admin": http.StatusOK} {
		if w := do(s, request{path: "/metrics", header: map[string]string{"Test-User": user}}); w.Code != code {
			t.Errorf("%q: %d, want %d", user, w.Code, code)
		}
	}
	scrapers := measured(t, func(c *server.Config) { c.Authorizer = onlyPath("/metrics") })
	if w := do(scrapers, request{path: "/metrics", header: map[string]string{"Test-User": "prometheus"}}); w.Code != http.StatusOK {
		t.Errorf("allowed by the authorizer: %d", w.Code)
	}
	if w := do(newServer(t, config(t, books())), request{path: "/metrics"}); w.Code != http.StatusNotFound {
		t.Errorf("without a registry: %d", w.Code)
	}
}

// onlyPath allows getting one path.
type onlyPath string

func (p onlyPath) Authorize(_ context.Context, a auth.Attributes) (auth.Decision, string, error) {
	if a.Verb == "get" && a.Path == string(p) {
		return auth.Allow, "", nil
	}
	return auth.NoOpinion, "", nil
}

// TestMetricsOfTroubles: panics, and requests for which there was no room.
func TestMetricsOfTroubles(t *testing.T) {
	s := measured(t, func(c *server.Config) {
		c.Resources[0].Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { panic("planted") })
	})
	do(s, request{path: booksPath + "/a"})
	if got := page(t, s); !strings.Contains(got, "typeplane_request_panics_total 1") || !strings.Contains(got, `code="500"`) {
		t.Errorf("the panic is not in\n%s", got)
	}

	b := newBusy(t, 1, 1)
	b.start(request{path: booksPath + "/slow", header: map[string]string{"Test-User": "user"}})
	if w := do(b, request{path: booksPath + "/a", header: map[string]string{"Test-User": "user"}}); w.Code != http.StatusTooManyRequests {
		t.Errorf("a second request: %d", w.Code)
	}
	got := page(t, b)
	close(b.end)
	<-b.answered
	for _, want := range []string{`apiserver_dropped_requests_total{request_kind="readOnly"} 1`, `apiserver_current_inflight_requests{request_kind="readOnly"} 2`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}
