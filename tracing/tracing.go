// Package tracing keeps traces of requests with OpenTelemetry and sends them to a collector, over
// OTLP and gRPC. It is a module of its own, so that a program without it links none of that.
//
// A program asks for it in one line,
//
//	server.Tracing = tracing.Open
//
// which gives it the flag --tracing-config-file, with kube-apiserver's TracingConfiguration. Start
// reading at Open; config.go reads the file, span.go is what the server tells of its steps (package
// trace of the main module). The package never holds a request up: what the collector does not take
// is dropped.
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/trace"
)

// scope is who says that it made the spans.
const scope = "github.com/typeplane/typeplane/tracing"

// Recorder is a typeplane.Tracer.
type Recorder struct {
	provider *sdktrace.TracerProvider
	tracer   oteltrace.Tracer
	headers  propagation.TextMapPropagator
}

var _ typeplane.Tracer = (*Recorder)(nil)

// Open is a typeplane.Server's Tracing. It does not wait for the collector, which may come later.
func Open(ctx context.Context, config typeplane.TracingConfig) (typeplane.Tracer, error) {
	data, err := os.ReadFile(config.File)
	if err != nil {
		return nil, err
	}
	c, err := parse(data)
	if err != nil {
		return nil, err
	}
	// As in Kubernetes the connection is a plain one: a collector runs beside the server.
	exporter, err := otlptracegrpc.New(ctx, otlptracegrpc.WithInsecure(), otlptracegrpc.WithEndpoint(c.endpoint()))
	if err != nil {
		return nil, fmt.Errorf("endpoint %s: %w", c.endpoint(), err)
	}
	otel.SetErrorHandler(complaints(config.Log))
	return newRecorder(exporter, c, config.Service)
}

// newRecorder closes the exporter with itself.
func newRecorder(exporter sdktrace.SpanExporter, c *configuration, service string) (*Recorder, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithBatcher(exporter),
		sdktrace.WithSampler(c.sampler()),
		sdktrace.WithResource(resource.NewSchemaless(
			attribute.String("service.name", service),
			attribute.String("host.name", host),
			attribute.Int("process.pid", os.Getpid()),
		)),
	)
	return &Recorder{provider: provider, tracer: provider.Tracer(scope), headers: propagation.TraceContext{}}, nil
}

// Request begins a span: part of the trace that the headers name, if we know the client. A
// stranger's trace is only linked to, so that nobody without a credential decides what is kept.
func (r *Recorder) Request(request trace.Request) trace.Span {
	ctx := r.headers.Extract(context.Background(), propagation.HeaderCarrier(request.HTTP.Header))
	options := []oteltrace.SpanStartOption{oteltrace.WithSpanKind(oteltrace.SpanKindServer), oteltrace.WithTimestamp(request.Begun)}
	if sender := oteltrace.SpanContextFromContext(ctx); sender.IsValid() && !request.Known {
		ctx = context.Background()
		options = append(options, oteltrace.WithLinks(oteltrace.Link{SpanContext: sender}))
	}
	ctx, span := r.tracer.Start(ctx, request.Name, options...)
	if !span.IsRecording() {
		return nil
	}
	return recorded{r, ctx, span}
}

// Close sends what is left.
func (r *Recorder) Close(ctx context.Context) error { return r.provider.Shutdown(ctx) }

// complaints logs what goes wrong between us and the collector, once in a while.
func complaints(log *slog.Logger) otel.ErrorHandler {
	last := make(chan time.Time, 1)
	last <- time.Time{}
	return otel.ErrorHandlerFunc(func(err error) {
		before := <-last
		now := time.Now()
		if now.Sub(before) < complainEvery {
			now = before
		} else {
			log.Warn("traces are not taken", "error", err)
		}
		last <- now
	})
}

const complainEvery = time.Minute
