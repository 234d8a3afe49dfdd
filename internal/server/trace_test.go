package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/typeplane/typeplane/trace"
)

// recorder keeps what spans say, as lines.
type recorder struct {
	mu    sync.Mutex
	lines []string
	skip  bool
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, fmt.Sprintf(format, args...))
}

func (r *recorder) Request(request trace.Request) trace.Span {
	if r.skip {
		return nil
	}
	return &span{r, fmt.Sprintf("%s (known: %v)", request.Name, request.Known)}
}

type span struct {
	*recorder
	name string
}

func (s *span) Step(name string) trace.Span { return &span{s.recorder, name} }
func (s *span) Inject(http.Header)          {}

func (s *span) Set(key, value string) {
	if key == "url.path" {
		s.add("%s: %s", s.name, value)
	}
}

func (s *span) SetInt(key string, value int64) {
	if strings.HasSuffix(key, "code") {
		s.add("%s: %d", s.name, value)
	}
}

func (s *span) End(err error) { s.add("%s ends: %v", s.name, err) }

// What a trace says of a request, whatever happens to it.
func TestTraces(t *testing.T) {
	r := new(recorder)
	c := config(t, books())
	c.Tracer = r
	s := newServer(t, c)
	for _, tc := range []struct {
		name string
		req  request
		want []string
	}{
		{"answered", request{method: "GET", path: bookPath}, []string{
			"get books.library.example.com (known: true): " + bookPath, "authorize ends: <nil>", "write the answer ends: <nil>",
			"get books.library.example.com (known: true): 200", "get books.library.example.com (known: true) ends: <nil>",
		}},
		{"not served", request{method: "GET", path: "/apis/library.example.com/v1/pamphlets"}, []string{
			"not found (known: true): /apis/library.example.com/v1/pamphlets", "authorize ends: <nil>", "write the answer ends: <nil>", "not found (known: true): 404", "not found (known: true) ends: <nil>",
		}},
		{"a stranger", request{method: "GET", path: "/livez", header: map[string]string{"Test-User": ""}}, []string{
			"get /livez (known: false): /livez", "get /livez (known: false): 200", "get /livez (known: false) ends: <nil>",
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r.lines = nil
			do(s, tc.req)
			if diff := cmp.Diff(tc.want, r.lines); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	r.lines, r.skip = nil, true
	if w := do(s, request{method: "GET", path: bookPath}); w.Code != http.StatusOK || len(r.lines) > 0 {
		t.Errorf("not picked: %d %q", w.Code, r.lines)
	}
}

// Steps that nobody records are free of memory, too.
func TestNoTraceCostsNothing(t *testing.T) {
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() {
		next, step := trace.Begin(ctx, "x")
		step.Set("a", "b")
		step.SetInt("c", 1)
		trace.Inject(next, nil)
		step.End(nil)
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
	if got := trace.With(ctx, trace.Of(nil)); got != ctx {
		t.Error("a span that is not there is in the context")
	}
}
