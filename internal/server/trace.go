package server

import (
	"fmt"
	"net/http"

	"github.com/typeplane/typeplane/trace"
)

// beginTrace has the steps that follow recorded, if this request is to be. Who asks is known by
// now, so that a stranger does not decide what is kept.
func (s *Server) beginTrace(c *call) {
	if s.config.Tracer == nil {
		return
	}
	c.span = trace.Of(s.config.Tracer.Request(trace.Request{HTTP: c.req, Name: s.traceName(c), Begun: c.begun, Known: c.known()}))
	c.span.Set("http.request.method", c.req.Method)
	c.span.Set("url.path", c.info.Path)
	c.span.Set("user_agent.original", firstBytes(c.req.UserAgent(), maxAuditText))
	c.span.Set("audit-id", c.w.Header().Get(headerAuditID))
	c.ctx = trace.With(c.ctx, c.span)
}

// traceName is the same for all requests of a kind.
func (s *Server) traceName(c *call) string {
	switch {
	case c.info.IsResource:
		resource := c.info.groupVersion().WithResource(c.info.fullName())
		if s.resources[resource] != nil {
			return c.info.Verb + " " + resource.GroupResource().String()
		}
	case s.documents[c.info.Path] != nil:
		return c.info.Verb + " " + c.info.Path
	}
	return "not found"
}

// endTrace says what became of the request. It failed if the server did.
func (c *call) endTrace() {
	code := c.w.status()
	c.span.SetInt("http.response.status_code", int64(code))
	c.span.SetInt("http.response.body.size", c.w.written)
	if code >= http.StatusInternalServerError {
		c.span.End(fmt.Errorf("%d %s", code, http.StatusText(code)))
		return
	}
	c.span.End(nil)
}
