package serve

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
)

// running serves widgets until the test ends.
func running(t *testing.T, change func(*program.Options)) (*Instance, *http.Client) {
	t.Helper()
	return runningServer(t, programtest.Widgets(), change)
}

// runningServer serves s until the test ends.
func runningServer(t *testing.T, s program.Server, change func(*program.Options)) (*Instance, *http.Client) {
	t.Helper()
	o := program.NewOptions("widgets")
	o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory = 0, t.TempDir(), true
	o.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	if change != nil {
		change(o)
	}
	ctx, stop := context.WithCancel(context.Background())
	i, err := Open(ctx, s, o)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- i.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	config, err := i.AdminTLS()
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true}
	t.Cleanup(transport.CloseIdleConnections)
	if err := i.WaitReady(t.Context()); err != nil {
		t.Fatal(err)
	}
	return i, &http.Client{Transport: transport}
}

func getBody(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v %s", url, resp.StatusCode, err, body)
	}
	return string(body)
}

const widgetsPath = "/apis/shop.example.com/v1/namespaces/default/widgets"

func post(t *testing.T, client *http.Client, url, body string) {
	t.Helper()
	resp, err := client.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %d %s", url, resp.StatusCode, answer)
	}
}

const aWidget = `{"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{}}`

// TestMetricsOfStores: what lies where, how full it is, and how long the database takes.
func TestMetricsOfStores(t *testing.T) {
	i, client := running(t, func(o *program.Options) { o.Store.InMemory = false })
	post(t, client, i.URL()+widgetsPath, aWidget)
	getBody(t, client, i.URL()+widgetsPath)
	got := getBody(t, client, i.URL()+"/metrics")
	const widgets = `{group="shop.example.com",resource="widgets"} `
	for _, want := range []string{
		`apiserver_storage_objects{resource="widgets.shop.example.com"} 1`,
		"apiserver_resource_objects" + widgets + "1",
		"typeplane_watch_cache_entries" + widgets + "1",
		"typeplane_watch_cache_digest_mismatches_total" + widgets + "0",
		"typeplane_watch_cache_watchers" + widgets + "0",
		`typeplane_storage_quota_bytes{storage_cluster_id="etcd-0"} 8.5`,
		`apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} `,
		`typeplane_storage_in_use_bytes{storage_cluster_id="etcd-0"} `,
		`etcd_requests_total{group="shop.example.com",operation="create",resource="widgets"} 1`,
		`etcd_request_errors_total{group="shop.example.com",operation="create",resource="widgets"} 0`,
		`etcd_request_duration_seconds_count{group="shop.example.com",operation="create",resource="widgets"} 1`,
		`resource="widgets",scope="namespace",subresource="",verb="POST",version="v1"} 1`,
		"etcd_mvcc_db_total_size_in_bytes ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in\n%s", want, got)
		}
	}
}

// TestCountsWithoutACache: how many objects there are is known without a watch cache, too.
func TestCountsWithoutACache(t *testing.T) {
	i, client := running(t, func(o *program.Options) { o.Store.WatchCache = false })
	post(t, client, i.URL()+widgetsPath, aWidget)
	got := getBody(t, client, i.URL()+"/metrics")
	if !strings.Contains(got, `apiserver_storage_objects{resource="widgets.shop.example.com"} 1`) || strings.Contains(got, "typeplane_watch_cache_") {
		t.Errorf("not just one widget in\n%s", got)
	}
}
