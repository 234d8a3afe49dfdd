package server

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// connector is the resource that the request is for, if that answers by itself; nil else. It may be
// asked before route.
func (s *Server) connector(c *call) *rest.Resource {
	if c.info.Subresource == "" {
		return nil
	}
	r := s.resources[c.info.groupVersion().WithResource(c.info.fullName())]
	if r == nil || r.Connect == nil {
		return nil
	}
	return r
}

// connect hands the request over to a subresource that answers by itself. What is wrong before that
// is an answer like that of any other verb. In every other way it is a watch: it has no deadline,
// counts as one of the user's, and ends when the server stops.
func (s *Server) connect(c *call) error {
	if c.query.Has("dryRun") {
		return apierrors.NewBadRequest("dryRun is not supported")
	}
	// A WebSocket begins with GET, whatever is done by it.
	if c.req.Method == http.MethodGet && auth.IsWebSocket(c.req) && slices.Contains(c.resource.ConnectMethods, http.MethodPost) {
		if err := s.may(c, "create"); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	end, err := s.beginWatch(c, cancel, 0)
	if err != nil {
		return err
	}
	defer end()

	handler, err := c.resource.Connect.Connect(ctx, &c.request, c.name(), rest.ConnectOptions{Query: c.query, Below: c.info.below(), FieldManager: c.manager()})
	if err != nil {
		return err
	}
	open := s.series(c).LongRunning()
	open.Inc()
	defer open.Dec()
	w := &connectWriter{call: c}
	defer s.taken.add(w)()
	handler.ServeHTTP(w.as(c.w.ResponseWriter), c.req.WithContext(ctx))
	return nil
}

// connectWriter is what the handler of a connector writes to. It records where the answer begins,
// and knows the connection if the handler has taken it over.
type connectWriter struct {
	call  *call
	start sync.Once

	mu   sync.Mutex // guards conn
	conn net.Conn
}

// as returns the writer with what the one below it can do: on HTTP/2 nobody can take over the
// connection.
func (w *connectWriter) as(below http.ResponseWriter) http.ResponseWriter {
	if _, ok := below.(http.Hijacker); ok {
		return hijackWriter{w}
	}
	return w
}

func (w *connectWriter) Header() http.Header { return w.call.w.Header() }

func (w *connectWriter) WriteHeader(code int) {
	w.begin(code)
	w.call.w.WriteHeader(code)
}

func (w *connectWriter) Write(p []byte) (int, error) {
	w.begin(http.StatusOK)
	return w.call.w.Write(p)
}

// Flush sends what was written. Handlers ask for an http.Flusher.
func (w *connectWriter) Flush() {
	w.begin(http.StatusOK)
	w.call.w.begun = true
	_ = http.NewResponseController(w.call.w).Flush() // an error comes back at the next Write
}

// Unwrap lets http.ResponseController reach the connection.
func (w *connectWriter) Unwrap() http.ResponseWriter { return w.call.w }

// begin comes before anything is sent.
func (w *connectWriter) begin(code int) {
	w.start.Do(func() {
		w.call.sendWarnings()
		w.call.recordStart(code)
	})
}

// end closes the connection, if the handler has taken it over.
func (w *connectWriter) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.conn != nil {
		_ = w.conn.Close() // the handler may have done so
	}
}

// hijackWriter is a connectWriter on HTTP/1.1.
type hijackWriter struct{ *connectWriter }

var (
	_ http.Hijacker = hijackWriter{}
	_ http.Flusher  = hijackWriter{}
)

// Hijack gives the connection to the handler.
func (w hijackWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffered, err := http.NewResponseController(w.call.w).Hijack()
	if err != nil {
		return nil, nil, err
	}
	w.begin(http.StatusSwitchingProtocols)
	w.call.w.begun = true
	w.call.w.code = http.StatusSwitchingProtocols
	// The server's bounds for a request were for the request.
	_ = conn.SetDeadline(time.Time{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conn = conn
	return conn, buffered, nil
}

// taken are the connectors at work. net/http does not know those that have taken over their
// connection, so the server waits for them itself.
type taken struct {
	mu   sync.Mutex // guards the rest
	all  map[*connectWriter]bool
	idle chan struct{} // closed when all is empty; nil: nobody waits for that
}

// add counts a connector until end is called, which also closes its connection.
func (t *taken) add(w *connectWriter) (end func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.all == nil {
		t.all = map[*connectWriter]bool{}
	}
	t.all[w] = true
	return func() {
		w.end()
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.all, w)
		if len(t.all) == 0 && t.idle != nil {
			close(t.idle)
			t.idle = nil
		}
	}
}

// drain waits until no connector is at work, and closes the connections of those that still are
// when ctx ends. The requests of all have begun before.
func (t *taken) drain(ctx context.Context) error {
	t.mu.Lock()
	if len(t.all) == 0 {
		t.mu.Unlock()
		return nil
	}
	if t.idle == nil {
		t.idle = make(chan struct{})
	}
	idle := t.idle
	t.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for w := range t.all {
		w.end()
	}
	return ctx.Err()
}
