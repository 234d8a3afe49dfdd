package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/registry/rest"
)

// busy is a server whose requests for the object "slow" take until end is closed; begun says that
// one has its place.
type busy struct {
	*server.Server
	begun, end chan struct{}
	answered   chan int
}

func newBusy(t *testing.T, reads, writes int) *busy {
	b := &busy{begun: make(chan struct{}), end: make(chan struct{}), answered: make(chan int)}
	hold := func(name string) {
		if name == "slow" {
			b.begun <- struct{}{}
			<-b.end
		}
	}
	r := books()
	r.Get = getFunc(func(_ context.Context, n rest.Name, _ metav1.GetOptions) (rest.View, error) {
		hold(n.Name)
		return aBook(n.Name), nil
	})
	r.Create = createFunc(func(_ context.Context, _ *rest.Request, n rest.Name, obj rest.Body, _ metav1.CreateOptions) (rest.View, error) {
		hold(n.Name)
		return objectView{obj}, nil
	})
	c := config(t, r)
	c.Authorizer = auth.Everybody{}
	c.MaxRequestsInFlight, c.MaxMutatingRequestsInFlight = reads, writes
	c.Metrics = prometheus.NewRegistry()
	b.Server = newServer(t, c)
	return b
}

// start sends a slow request and returns when it has its place.
func (b *busy) start(r request) {
	go func() { b.answered <- do(b, r).Code }()
	<-b.begun
}

func as(user string, r request) request {
	r.header = map[string]string{"Test-User": user}
	return r
}

func create(name string) request {
	return request{method: "POST", path: booksPath, body: `{"metadata":{"name":"` + name + `"}}`}
}

func TestInFlight(t *testing.T) {
	b := newBusy(t, 2, 1)
	slow := request{path: booksPath + "/slow"}
	get, head := request{path: bookPath}, request{method: "HEAD", path: bookPath}
	b.start(as("u", slow))
	b.start(as("admin", slow)) // whoever comes when there is room takes it
	wantBusy(t, do(b, as("u", get)))
	wantBusy(t, do(b, as("u", head)))
	wantBusy(t, do(b, as("u", request{path: "/apis"})))
	for name, r := range map[string]request{
		"a write":           as("u", create("quick")),
		"an administrator":  as("admin", get),
		"a health check":    as("u", request{path: "/readyz"}),
		"one of a stranger": as("", request{path: "/livez"}),
	} {
		if w := do(b, r); w.Code >= 300 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	watch := do(b, as("u", request{path: booksPath + "?watch=1&timeoutSeconds=1"}))
	if watch.Code != http.StatusOK {
		t.Errorf("a watch: %d", watch.Code)
	}

	b.start(as("u", create("slow")))
	wantBusy(t, do(b, as("u", create("quick"))))
	wantBusy(t, do(b, as("u", request{method: "DELETE", path: bookPath})))
	if w := do(b, as("admin", create("quick"))); w.Code != http.StatusCreated {
		t.Errorf("a write of an administrator: %d", w.Code)
	}

	close(b.end)
	for range 3 {
		if code := <-b.answered; code >= 300 {
			t.Errorf("a slow request: %d", code)
		}
	}
	for _, r := range []request{get, head, create("quick")} {
		if w := do(b, as("u", r)); w.Code >= 300 {
			t.Errorf("afterwards, %s: %d", r.method, w.Code)
		}
	}
}

// A place is given free also by requests that fail, panic or are not for their user.
func TestInFlightAfterFailures(t *testing.T) {
	r := books()
	r.Get = getFunc(func(context.Context, rest.Name, metav1.GetOptions) (rest.View, error) { panic("boom") })
	c := config(t, r)
	c.MaxRequestsInFlight = 1
	s := newServer(t, c)
	for range 3 {
		for user, want := range map[string]int{"admin": http.StatusInternalServerError, "u": http.StatusForbidden} {
			if w := do(s, as(user, request{path: bookPath})); w.Code != want {
				t.Errorf("%s: %d, want %d", user, w.Code, want)
			}
		}
	}
}

func TestInFlightWithoutBound(t *testing.T) {
	b := newBusy(t, -1, -1)
	for range 3 {
		b.start(as("u", create("slow")))
		b.start(as("u", request{path: booksPath + "/slow"}))
	}
	close(b.end)
	for range 6 {
		if code := <-b.answered; code >= 300 {
			t.Errorf("got %d", code)
		}
	}
}

func wantBusy(t *testing.T, w *httptest.ResponseRecorder) {
	t.Helper()
	if w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "1" || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
		w.Body.String() != "Too many requests, please try again later.\n" {
		t.Errorf("got %d %v %s", w.Code, w.Header(), w.Body)
	}
}
