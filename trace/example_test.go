package trace_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/typeplane/typeplane/trace"
)

// printer records every request by printing what ends.
type printer struct{}

func (printer) Request(r trace.Request) trace.Span { return span(r.Name) }

// span is the name of a step, with those that it is a part of.
type span string

func (s span) Step(name string) trace.Span { return s + span(" > "+name) }
func (s span) Set(key, value string)       { fmt.Printf("%s: %s=%s\n", s, key, value) }
func (s span) SetInt(string, int64)        {}
func (s span) Inject(http.Header)          {}
func (s span) End(err error)               { fmt.Printf("%s: %v\n", s, err) }

// Who listens is a Recorder. Whoever does something begins a step, and ends it with the outcome.
func ExampleRecorder() {
	var recorder trace.Recorder = printer{}
	request := recorder.Request(trace.Request{Name: "get orders"})
	ctx := trace.With(context.Background(), trace.Of(request))

	_, step := trace.Begin(ctx, "read")
	step.Set("key", "/orders/first")
	step.End(errors.New("not found"))
	request.End(nil)
	// Output:
	// get orders > read: key=/orders/first
	// get orders > read: not found
	// get orders: <nil>
}
