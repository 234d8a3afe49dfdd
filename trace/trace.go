// Package trace tells what a request went through and how long each step took, to whoever wants to
// know.
//
// Start reading at Begin: it is what the server, the registry and the storage call around a step.
// The listener is a Recorder, which a program links (module tracing has one for OpenTelemetry).
// Without a Recorder, and for requests that it does not pick, Begin costs a look into the context.
// The package knows no format and no protocol, and imports the standard library only.
package trace

import (
	"context"
	"net/http"
	"time"
)

// Recorder takes note of requests. Its methods may be called from any goroutine.
type Recorder interface {
	// Request returns the span of a request, or nil if this one is not recorded.
	Request(r Request) Span
}

// Request is a request that has begun.
type Request struct {
	// HTTP is the request itself, whose headers may name the span that it was sent from. It is not
	// modified.
	HTTP *http.Request
	// Name says what it is for, as one of a bounded number of texts, like "list
	// books.library.example.com".
	Name string
	// Begun is when it arrived.
	Begun time.Time
	// Known says that it came with a good credential: whether it is recorded is not for strangers
	// to decide.
	Known bool
}

// Span is a request or a step of one. A span belongs to one goroutine at a time, but steps of the
// same span may be begun by several.
type Span interface {
	// Step begins a part of the span.
	Step(name string) Span
	// Set and SetInt say something about the span, in the names of OpenTelemetry where there are
	// some.
	Set(key, value string)
	SetInt(key string, value int64)
	// Inject names the span in the headers of a request that is sent on its behalf.
	Inject(header http.Header)
	// End must come last. An error says that the span failed.
	End(err error)
}

// Step is a part of a request. The zero Step is one that nobody takes note of.
type Step struct{ span Span }

// Of is the Step of a Span, which may be nil.
func Of(span Span) Step { return Step{span} }

type contextKey struct{}

// With returns a context whose steps are those of s.
func With(ctx context.Context, s Step) context.Context {
	if s.span == nil {
		return ctx
	}
	return context.WithValue(ctx, contextKey{}, s.span)
}

// Begin begins a step of what ctx is about, which whoever begins it ends. The context is for what
// the step consists of.
func Begin(ctx context.Context, name string) (context.Context, Step) {
	parent, ok := ctx.Value(contextKey{}).(Span)
	if !ok {
		return ctx, Step{}
	}
	s := Step{parent.Step(name)}
	return With(ctx, s), s
}

// Inject names the span of ctx in the headers of a request that is sent on its behalf.
func Inject(ctx context.Context, header http.Header) {
	if span, ok := ctx.Value(contextKey{}).(Span); ok {
		span.Inject(header)
	}
}

// Set says something about the step.
func (s Step) Set(key, value string) {
	if s.span != nil {
		s.span.Set(key, value)
	}
}

// SetInt says a number about the step.
func (s Step) SetInt(key string, value int64) {
	if s.span != nil {
		s.span.SetInt(key, value)
	}
}

// End ends the step. An error says that it failed.
func (s Step) End(err error) {
	if s.span != nil {
		s.span.End(err)
	}
}
