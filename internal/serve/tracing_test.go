package serve

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/trace"
)

// names is a Tracer that keeps the names of requests, and says when it is closed.
type names struct {
	requests chan string
	closed   bool
}

func (n *names) Request(r trace.Request) trace.Span {
	n.requests <- r.Name
	return nil
}

func (n *names) Close(context.Context) error {
	n.closed = true
	return errors.New("nobody takes them") // logged, no more
}

func TestTracing(t *testing.T) {
	n := &names{requests: make(chan string, 100)}
	program := widgetServer()
	program.Tracing = func(_ context.Context, c TracingConfig) (Tracer, error) {
		if c.File == "bad" {
			return nil, errors.New("it is no good")
		}
		if c.File != "tracing.yaml" || c.Service != "widgets" || c.Log == nil {
			t.Errorf("opened with %+v", c)
		}
		return n, nil
	}
	open := func(program Server, file string) error {
		o := NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory, o.Tracing.ConfigFile = 0, t.TempDir(), true, file
		i, err := Open(t.Context(), program, o)
		if err != nil {
			return err
		}
		i.server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/livez", nil))
		return i.close()
	}
	if err := open(program, "tracing.yaml"); err != nil {
		t.Fatal(err)
	}
	if got := <-n.requests; got != "get /livez" || !n.closed {
		t.Errorf("%q was traced, closed: %v", got, n.closed)
	}
	if err := open(program, "bad"); err == nil || !strings.Contains(err.Error(), "--tracing-config-file=bad: it is no good") {
		t.Errorf("bad file: %v", err)
	}
	if err := open(widgetServer(), "tracing.yaml"); !errors.Is(err, errNoTracing) {
		t.Errorf("a program without: %v", err)
	}

	if o, err := parse(program, []string{"--tracing-config-file=f"}); err != nil || o.Tracing.ConfigFile != "f" {
		t.Errorf("%+v, %v", o, err)
	}
	if _, err := parse(widgetServer(), []string{"--tracing-config-file=f"}); err == nil {
		t.Error("a program without tracing has the flag")
	}
}
