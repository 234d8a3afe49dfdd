package server

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// response remembers whether an answer has begun, because after that no other one can be given, and
// what it is.
type response struct {
	http.ResponseWriter
	begun   bool
	code    int   // 0 is 200
	written int64 // bytes of the body
}

func (w *response) WriteHeader(code int) {
	w.begun, w.code = true, code
	w.ResponseWriter.WriteHeader(code)
}

func (w *response) Write(p []byte) (int, error) {
	w.begun = true
	n, err := w.ResponseWriter.Write(p)
	w.written += int64(n)
	return n, err
}

// status is the code of the answer.
func (w *response) status() int {
	if w.code == 0 {
		return http.StatusOK
	}
	return w.code
}

// Unwrap lets http.ResponseController reach the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// recoverPanic turns a panic into a 500, so that the server goes on. It must be deferred itself.
func (s *Server) recoverPanic(c *call) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler {
		panic(p)
	}
	s.requests.Panicked()
	c.panicked = true
	auditID := c.w.Header().Get(headerAuditID)
	s.config.Log.Error("a request made the server panic", "panic", p, "method", c.req.Method, "path", c.req.URL.Path,
		"auditID", auditID, "stack", string(debug.Stack()))
	s.fail(c, apierrors.NewInternalError(fmt.Errorf("this request made the server panic; its log says more under the audit ID %s", auditID)))
}

const headerAuditID = "Audit-Id"

// maxAuditID bounds what a client may have us echo and log.
const maxAuditID = 128

// defaultCacheControl: what a user may see is no business of shared caches.
const defaultCacheControl = "no-cache, private"

// stampHeaders sets what every answer has.
func stampHeaders(c *call) {
	id := c.req.Header.Get(headerAuditID)
	if id == "" || len(id) > maxAuditID {
		id = uuid.NewString()
	}
	header := c.w.Header()
	header.Set(headerAuditID, id)
	header.Set("Cache-Control", defaultCacheControl)
}

// setDeadline gives the context its end: ?timeout= can shorten the server's own bound. Watches have
// a bound of their own and ignore ?timeout=; what takes over its connection has none.
func (s *Server) setDeadline(c *call) error {
	if c.info.Verb == "watch" || s.connector(c) != nil {
		return nil
	}
	timeout := s.config.RequestTimeout
	if text := c.query.Get("timeout"); text != "" {
		asked, err := time.ParseDuration(text)
		if err != nil {
			return apierrors.NewBadRequest(fmt.Sprintf("invalid timeout specified in the request URL - %q is not a duration like 10s", text))
		}
		if asked > 0 {
			timeout = min(timeout, asked)
		}
	}
	if c.info.IsResource && !c.readOnly() {
		// Deleting a collection is as many writes as it takes.
		if c.info.Verb != "deletecollection" {
			timeout = min(timeout, writeTimeout)
		}
		// A client that sends its body too slowly must not hold the request open for ever. Not
		// every writer has a deadline to set; then the connection's own time-outs are all there is.
		_ = http.NewResponseController(c.w).SetReadDeadline(time.Now().Add(timeout))
	}
	c.ctx, c.cancel = context.WithTimeout(c.ctx, timeout)
	return nil
}
