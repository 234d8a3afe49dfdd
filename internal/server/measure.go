package server

import (
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/internal/server/metrics"
	"github.com/typeplane/typeplane/registry/rest"
)

// measure tells the metrics of a request that is answered.
func (s *Server) measure(c *call, took time.Duration) {
	s.series(c).Done(c.w.status(), took, c.w.written)
}

// series are the metrics of such requests. What is not served is "other", so that nobody can fill
// the memory with names.
func (s *Server) series(c *call) *metrics.Series {
	what := metrics.What{Verb: metricVerb(c)}
	r := c.resource
	if r == nil && c.info.IsResource {
		r = s.resources[c.info.groupVersion().WithResource(c.info.fullName())]
	}
	switch {
	case r != nil:
		if r.Connect != nil {
			what.Verb = "CONNECT" // it lasts as long as it likes, which says nothing of how fast we are
		}
		what.Group, what.Version = r.GroupVersion.Group, r.GroupVersion.Version
		what.Resource, what.Subresource = r.Name, r.Subresource
		what.Scope = scopeOf(c.info)
		what.DryRun = c.query.Get("dryRun") == "All"
	case c.info.IsResource:
		what.Resource = metrics.Other
	case s.documents[c.info.Path] != nil:
		what.Subresource = c.info.Path
	default:
		what.Subresource = metrics.Other
	}
	return s.requests.Of(what)
}

// metricVerb is the verb in the words of Kubernetes' metrics.
func metricVerb(c *call) string {
	if !c.info.IsResource {
		switch c.req.Method {
		case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
			return c.req.Method
		}
		return metrics.Other
	}
	switch c.info.Verb {
	case "get":
		return "GET"
	case "list":
		return "LIST"
	case "watch":
		return "WATCH"
	case "create":
		return "POST"
	case "update":
		return "PUT"
	case "patch":
		if strings.HasPrefix(c.req.Header.Get("Content-Type"), "application/apply-patch") {
			return "APPLY"
		}
		return "PATCH"
	case "delete":
		return "DELETE"
	case "deletecollection":
		return "DELETECOLLECTION"
	}
	return metrics.Other
}

// scopeOf says of how much a request is: one object, a namespace, or all of it.
func scopeOf(i requestInfo) string {
	switch {
	case i.Item:
		return "resource"
	case i.Namespace != "":
		return "namespace"
	}
	return "cluster"
}

// place counts the requests of a kind that are in flight.
type place struct {
	inFlight prometheus.Gauge
	dropped  prometheus.Counter
}

func newPlace(r *metrics.Requests, kind string) place {
	inFlight, dropped := r.Places(kind)
	return place{inFlight: inFlight, dropped: dropped}
}

// countEvents prepares the counters of watch events, one for each resource.
func (s *Server) countEvents() {
	s.events = map[*rest.Resource]prometheus.Counter{}
	for _, r := range s.resources {
		if r.Watch != nil {
			s.events[r] = s.requests.Events(r.GroupVersion.Group, r.GroupVersion.Version, r.Name)
		}
	}
}

// addMetrics serves the page of metrics, to whom the Authorizer allows to get it.
func (s *Server) addMetrics() {
	if s.config.Metrics == nil {
		return
	}
	page := metrics.Handler(s.config.Metrics)
	s.documents["/metrics"] = func(c *call) error {
		page.ServeHTTP(c.w, c.req)
		return nil
	}
}
