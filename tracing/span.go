package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/typeplane/typeplane/trace"
)

// recorded is a trace.Span that is kept. ctx names it to its steps, and holds nothing else.
type recorded struct {
	*Recorder
	ctx  context.Context
	span oteltrace.Span
}

var _ trace.Span = recorded{}

func (s recorded) Step(name string) trace.Span {
	ctx, span := s.tracer.Start(s.ctx, name)
	return recorded{s.Recorder, ctx, span}
}

func (s recorded) Set(key, value string)          { s.span.SetAttributes(attribute.String(key, value)) }
func (s recorded) SetInt(key string, value int64) { s.span.SetAttributes(attribute.Int64(key, value)) }

func (s recorded) Inject(header http.Header) {
	s.headers.Inject(s.ctx, propagation.HeaderCarrier(header))
}

func (s recorded) End(err error) {
	if err != nil {
		s.span.SetStatus(codes.Error, err.Error())
	}
	s.span.End()
}
