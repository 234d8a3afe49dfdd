package serve

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/typeplane/typeplane/internal/program"
	"github.com/typeplane/typeplane/internal/program/programtest"
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
	s := programtest.Widgets()
	s.Tracing = func(_ context.Context, c program.TracingConfig) (program.Tracer, error) {
		if c.File == "bad" {
			return nil, errors.New("it is no good")
		}
		if c.File != "tracing.yaml" || c.Service != "widgets" || c.Log == nil {
			t.Errorf("opened with %+v", c)
		}
		return n, nil
	}
	open := func(s program.Server, file string) error {
		o := program.NewOptions("widgets")
		o.Serving.SecurePort, o.Store.DataDir, o.Store.InMemory, o.Tracing.ConfigFile = 0, t.TempDir(), true, file
		i, err := Open(t.Context(), s, o)
		if err != nil {
			return err
		}
		i.server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/livez", nil))
		return i.opened.close()
	}
	if err := open(s, "tracing.yaml"); err != nil {
		t.Fatal(err)
	}
	if got := <-n.requests; got != "get /livez" || !n.closed {
		t.Errorf("%q was traced, closed: %v", got, n.closed)
	}
	if err := open(s, "bad"); err == nil || !strings.Contains(err.Error(), "--tracing-config-file=bad: it is no good") {
		t.Errorf("bad file: %v", err)
	}
	if err := open(programtest.Widgets(), "tracing.yaml"); !errors.Is(err, errNoTracing) {
		t.Errorf("a program without: %v", err)
	}

	fs, flags := program.NewFlags(s)
	if err := fs.Parse([]string{"--tracing-config-file=f"}); err != nil || flags.Tracing.ConfigFile != "f" {
		t.Errorf("%+v, %v", flags, err)
	}
	if fs, _ := program.NewFlags(programtest.Widgets()); fs.Lookup("tracing-config-file") != nil {
		t.Error("a program without tracing has the flag")
	}
}
