package server_test

import (
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/registry/rest"
)

// discard is a ResponseWriter that keeps nothing.
type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(p []byte) (int, error) { return len(p), nil }
func (d discard) WriteHeader(int)             {}

// BenchmarkGet is what this package adds to a GET whose answer is ready.
func BenchmarkGet(b *testing.B) {
	body := make([]byte, 4<<10)
	r := books()
	r.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
		return viewFunc(func(w io.Writer) error { _, err := w.Write(body); return err }), nil
	})
	s := newServer(b, config(b, r))
	req := request{path: bookPath, header: map[string]string{"Accept": "application/json"}}.build()
	b.ReportAllocs()
	for b.Loop() {
		s.ServeHTTP(discard{http.Header{}}, req)
	}
}

// BenchmarkTurn is BenchmarkGet for somebody who is no administrator, with the bounds of requests
// in flight and with fairness. The difference is what fairness costs.
func BenchmarkTurn(b *testing.B) {
	r := books()
	body := make([]byte, 4<<10)
	r.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) {
		return viewFunc(func(w io.Writer) error { _, err := w.Write(body); return err }), nil
	})
	user := &auth.User{Name: "jane@example.com", Groups: []string{"readers", auth.GroupAuthenticated}}
	for name, controller := range map[string]*fairness.Controller{"bounds": nil, "fairness": fairness.New(600, prometheus.NewRegistry())} {
		c := config(b, r)
		c.Authorizer, c.Fairness = auth.Everybody{}, controller
		c.Authenticator = authenticatorFunc(func(*http.Request) (*auth.User, error) { return user, nil })
		s := newServer(b, c)
		b.Run(name, func(b *testing.B) {
			req := request{path: bookPath, header: map[string]string{"Accept": "application/json"}}.build()
			b.ReportAllocs()
			for b.Loop() {
				s.ServeHTTP(discard{http.Header{}}, req)
			}
		})
	}
}

// BenchmarkWatchEvent is what this package adds to one event of a watch.
func BenchmarkWatchEvent(b *testing.B) {
	body := make([]byte, 4<<10)
	event := rest.Event{Type: rest.Modified, Object: viewFunc(func(w io.Writer) error { _, err := w.Write(body); return err })}
	for _, accept := range []string{"application/json", "application/vnd.kubernetes.protobuf"} {
		b.Run(accept, func(b *testing.B) {
			r := books()
			r.Watch = watchFunc(func(context.Context, string, metav1.ListOptions) (rest.Stream, error) {
				return &repeat{n: b.N, event: []rest.Event{event}}, nil
			})
			s := newServer(b, config(b, r))
			req := request{path: booksPath + "?watch=1", header: map[string]string{"Accept": accept}}.build()
			b.ReportAllocs()
			b.ResetTimer()
			s.ServeHTTP(flushable{discard{http.Header{}}}, req)
		})
	}
}

type flushable struct{ discard }

func (flushable) Flush() {}

// repeat gives the same event n times.
type repeat struct {
	n     int
	event []rest.Event
}

func (r *repeat) Next(context.Context) ([]rest.Event, error) {
	if r.n == 0 {
		return nil, io.EOF
	}
	r.n--
	return r.event, nil
}

func (r *repeat) Close() {}
