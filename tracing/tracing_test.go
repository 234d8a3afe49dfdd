package tracing_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/apitest"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/tracing"
)

// receiver is a collector that keeps what it gets.
type receiver struct {
	collector.UnimplementedTraceServiceServer
	address string

	mu      sync.Mutex
	spans   []*otlp.Span
	service string
}

func (r *receiver) Export(_ context.Context, request *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, of := range request.ResourceSpans {
		for _, a := range of.Resource.Attributes {
			if a.Key == "service.name" {
				r.service = a.Value.GetStringValue()
			}
		}
		for _, in := range of.ScopeSpans {
			r.spans = append(r.spans, in.Spans...)
		}
	}
	return new(collector.ExportTraceServiceResponse), nil
}

// named returns the first span of a name, nil if there is none.
func (r *receiver) named(name string) *otlp.Span {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.spans, func(s *otlp.Span) bool { return s.Name == name })
	if i < 0 {
		return nil
	}
	return r.spans[i]
}

// stepsOf returns the names of the steps of a span.
func (r *receiver) stepsOf(span *otlp.Span) (names []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.spans {
		if string(s.ParentSpanId) == string(span.SpanId) {
			names = append(names, s.Name)
		}
	}
	return names
}

func listen(t *testing.T) *receiver {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &receiver{address: listener.Addr().String()}
	server := grpc.NewServer()
	collector.RegisterTraceServiceServer(server, r)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	return r
}

// start runs a server that sends its traces to r.
func start(t *testing.T, r *receiver, rate int) *apitest.Server {
	t.Helper()
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20") // milliseconds
	file := filepath.Join(t.TempDir(), "tracing.yaml")
	text := fmt.Sprintf("apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nendpoint: %s\nsamplingRatePerMillion: %d\n", r.address, rate)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return apitest.Start(t, typeplane.Server{Name: "plane", APIs: features.All(), Tracing: tracing.Open}, apitest.Embedded, func(o *typeplane.Options) {
		o.Tracing.ConfigFile = file
	})
}

const (
	traceID    = "0af7651916cd43dd8448eb211c80319c"
	spanID     = "b7ad6b7169203331"
	sampled    = "00-" + traceID + "-" + spanID + "-01"
	configMaps = "/api/v1/namespaces/default/configmaps"
)

func send(t *testing.T, client *http.Client, method, url, traceparent, body string) {
	t.Helper()
	req, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if traceparent != "" {
		req.Header.Set("Traceparent", traceparent)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if answer, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %s %v", method, url, resp.StatusCode, answer, err)
	}
}

func await(t *testing.T, r *receiver, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			r.mu.Lock()
			defer r.mu.Unlock()
			t.Fatalf("it has not come true; there are %v", r.spans)
		}
	}
}

// A request is a span of the trace that it is sent from, with a step for each thing that it goes
// through.
func TestRequestIsPartOfItsClientsTrace(t *testing.T) {
	r := listen(t)
	s := start(t, r, 0)
	send(t, s.Client, "GET", s.URL+configMaps, "", "") // not picked
	send(t, s.Client, "POST", s.URL+configMaps, sampled, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`)
	var span *otlp.Span
	await(t, r, func() bool {
		span = r.named("create configmaps")
		return span != nil
	})
	if hex.EncodeToString(span.TraceId) != traceID || hex.EncodeToString(span.ParentSpanId) != spanID || span.Kind != otlp.Span_SPAN_KIND_SERVER {
		t.Errorf("the span is %v", span)
	}
	said := map[string]string{}
	for _, a := range span.Attributes {
		said[a.Key] = a.Value.GetStringValue() + fmt.Sprint(a.Value.GetIntValue())
	}
	if said["http.request.method"] != "POST0" || said["url.path"] != configMaps+"0" || said["http.response.status_code"] != "201" || len(said["audit-id"]) < 30 {
		t.Errorf("the span says %v", said)
	}
	for _, step := range []string{"authorize", "validate", "etcd create", "write the answer"} {
		await(t, r, func() bool { return slices.Contains(r.stepsOf(span), step) })
	}
	if r.service != "plane" {
		t.Errorf("the service is %q", r.service)
	}
	if other := r.named("list configmaps"); other != nil {
		t.Errorf("a request was kept that nobody picked: %v", other)
	}
}

// Whoever shows no credential does not decide what is kept, nor what it is a part of.
func TestStrangersPickNothing(t *testing.T) {
	transport := func(s *apitest.Server) *http.Client {
		own := s.Client.Transport.(*http.Transport).Clone()
		own.TLSClientConfig.Certificates = nil
		t.Cleanup(own.CloseIdleConnections)
		return &http.Client{Transport: own}
	}
	none, all := listen(t), listen(t)
	s := start(t, none, 0)
	send(t, transport(s), "GET", s.URL+"/livez", sampled, "")
	send(t, s.Client, "GET", s.URL+"/readyz", sampled, "")
	await(t, none, func() bool { return none.named("get /readyz") != nil })
	if span := none.named("get /livez"); span != nil {
		t.Errorf("a stranger's request was kept: %v", span)
	}

	s = start(t, all, 1_000_000)
	send(t, transport(s), "GET", s.URL+"/livez", sampled, "")
	var span *otlp.Span
	await(t, all, func() bool {
		span = all.named("get /livez")
		return span != nil
	})
	if hex.EncodeToString(span.TraceId) == traceID || len(span.Links) != 1 || hex.EncodeToString(span.Links[0].TraceId) != traceID {
		t.Errorf("the span is %v, want one of its own trace, with a link", span)
	}
}

// Without a collector everything works, and a server that stops does not wait for one.
func TestNoCollector(t *testing.T) {
	r := listen(t)
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	r.address = gone.Addr().String()
	s := start(t, r, 1_000_000)
	for range 3 {
		send(t, s.Client, "GET", s.URL+"/readyz", "", "")
	}
}

func TestRefusedConfigurations(t *testing.T) {
	const good = "apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n"
	for text, want := range map[string]string{
		"":                                       `want a TracingConfiguration of apiserver.config.k8s.io/v1`,
		good + "rate: 1":                         `unknown field "rate"`,
		good + "endpoint: tcp://h:1":             `it can be dns, unix, unix-abstract, or none`,
		good + "samplingRatePerMillion: -1":      `samplingRatePerMillion: -1 is not between 0 and 1000000`,
		good + "samplingRatePerMillion: 1000001": `samplingRatePerMillion: 1000001 is not`,
		"apiVersion: apiserver.config.k8s.io/v2\nkind: TracingConfiguration": `of "apiserver.config.k8s.io/v2"`,
	} {
		file := filepath.Join(t.TempDir(), "tracing.yaml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := tracing.Open(t.Context(), typeplane.TracingConfig{Service: "x", File: file, Log: slog.New(slog.DiscardHandler)}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := tracing.Open(t.Context(), typeplane.TracingConfig{File: filepath.Join(t.TempDir(), "missing")}); err == nil {
		t.Error("a file that is not there is taken")
	}
}
