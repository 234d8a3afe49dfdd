package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/server/metrics"
	"github.com/typeplane/typeplane/internal/server/pacing"
	"github.com/typeplane/typeplane/registry/rest"
)

// New builds everything that does not change while the server runs. The error joins all mistakes in
// the Config.
func New(config Config) (*Server, error) {
	if err := config.complete(); err != nil {
		return nil, err
	}
	if err := pacing.Err(); err != nil {
		return nil, err
	}
	s := &Server{
		config:        config,
		resources:     map[schema.GroupVersionResource]*rest.Resource{},
		groupVersions: map[schema.GroupVersion]bool{},
		documents:     map[string]func(*call) error{},
		reading:       newPlaces(config.MaxRequestsInFlight),
		writing:       newPlaces(config.MaxMutatingRequestsInFlight),
		steps:         steps(),
	}
	registry := config.Metrics
	if registry == nil {
		registry = prometheus.NewRegistry()
	}
	s.requests = metrics.NewRequests(registry)
	registry.MustRegister(metrics.Loops{})
	metrics.RegisterInfo(registry, "kubernetes_build_info", "What the server was built of, and the release of Kubernetes that its API behaves like.", config.Version.labels())
	s.readCount, s.writeCount = newPlace(s.requests, metrics.ReadOnly), newPlace(s.requests, metrics.Mutating)
	s.watches.limit, s.watches.byUser = config.MaxWatchesPerUser, map[string]opened{}
	s.watches.byWhat = map[watched]int{}
	s.watching, s.endWatches = context.WithCancel(context.Background())
	for i := range config.Resources {
		r := &config.Resources[i]
		s.resources[keyOf(r)] = r
		s.groupVersions[r.GroupVersion] = true
	}
	s.countEvents()
	if err := errors.Join(s.buildDiscovery(), s.buildOpenAPI()); err != nil {
		return nil, err
	}
	s.addHealth()
	s.addVersion()
	s.addReports()
	s.addMetrics()
	s.addIndex()
	s.addDumps()
	return s, s.addConsole()
}

func (s *Server) addConsole() (err error) {
	if s.config.Console != nil {
		s.console, err = s.config.Console(http.HandlerFunc(s.serveAPI))
	}
	return err
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if s.console != nil && strings.HasPrefix(req.URL.Path, s.config.ConsolePath) {
		s.console.ServeHTTP(w, req)
		return
	}
	s.serveAPI(w, req)
}

// serveAPI answers one request to the API; steps has the order of what is done for it.
func (s *Server) serveAPI(w http.ResponseWriter, req *http.Request) {
	deepen(req.Method)
	c := &call{w: &response{ResponseWriter: w}, req: req, ctx: req.Context(), auditing: auditing{begun: time.Now()}}
	defer s.finish(c)
	defer s.recoverPanic(c)
	stampHeaders(c)
	if s.allowOrigin(c) {
		return
	}
	for _, step := range s.steps {
		if err := step.do(s, c); err != nil {
			s.fail(c, err)
			return
		}
	}
}

// step is one of the things that are done for a request. Its error is the answer.
type step struct {
	name string
	do   func(*Server, *call) error
}

// steps is the order of a request. 401 comes before everything that costs or tells something.
func steps() []step {
	return []step{
		{"request info", (*Server).readInfo},
		{"credentials", (*Server).identify},
		{"what can't be meant", (*Server).checkRequest},
		{"impersonation", (*Server).impersonate},
		{"trace and deadline", (*Server).limit},
		{"a place among those in flight", (*Server).admit},
		{"authorization", (*Server).authorize},
		{"route, verb, answer", (*Server).route},
	}
}

// readInfo parses the query and the path, once for all steps. Errors in them are answered only
// after authentication.
func (s *Server) readInfo(c *call) error {
	if c.req.URL.RawQuery != "" {
		c.query, c.badQuery = url.ParseQuery(c.req.URL.RawQuery)
	}
	c.info, c.badPath = parseInfo(c.req.Method, c.req.URL, c.query)
	return nil
}

// identify finds the user, and begins the record of the request.
func (s *Server) identify(c *call) error {
	err := s.authenticate(c)
	s.beginRecord(c)
	return err
}

// checkRequest refuses requests whose path, origin or query is malformed.
func (s *Server) checkRequest(c *call) error {
	if c.badPath != nil {
		return c.badPath
	}
	if err := s.checkOrigin(c); err != nil {
		return err
	}
	// The malformed part could be the labelSelector of a list or the dryRun of a write.
	if c.badQuery != nil && s.readsQuery(c) {
		return apierrors.NewBadRequest(fmt.Sprintf("the query can't be read: %v", c.badQuery))
	}
	return nil
}

// readsQuery reports whether a part of the query that cannot be parsed would change the answer. It
// would not for health checks and other documents, which probes call with any query. A connector
// without options, such as a proxy, gets the raw query.
func (s *Server) readsQuery(c *call) bool {
	if r := s.connector(c); r != nil {
		return len(r.ConnectParameters) > 0
	}
	return c.info.IsResource || !c.readOnly()
}

// limit begins what the verb works in: a context with the trace, the user and an end.
func (s *Server) limit(c *call) error {
	s.beginTrace(c)
	c.ctx = auth.WithUser(c.ctx, c.user)
	c.request.OnWarning = c.warn
	if c.record != nil {
		c.request.OnAnnotation, c.request.Bodies = c.record.Annotate, c.recordedBodies()
	}
	return s.setDeadline(c)
}

// finish comes after everything else, whatever became of the request.
func (s *Server) finish(c *call) {
	if c.cancel != nil {
		c.cancel()
	}
	if c.release != nil {
		c.release()
	}
	took := time.Since(c.begun)
	s.measure(c, took)
	c.endTrace()
	s.recordRefusal(c)
	c.endRecord()
	s.logRequest(c, took)
}

// logRequest is one line for each request, for those who look for something. A query may have
// anything in it and is not shown.
func (s *Server) logRequest(c *call, took time.Duration) {
	if !s.config.Log.Enabled(c.req.Context(), slog.LevelDebug) {
		return
	}
	user := ""
	if c.user != nil {
		user = c.user.Name
	}
	s.config.Log.Debug("a request was answered", "verb", c.info.Verb, "path", c.info.Path, "code", c.w.status(), "bytes", c.w.written,
		"took", took, "user", user, "userAgent", firstBytes(c.req.UserAgent(), maxAuditText), "remote", c.req.RemoteAddr, "auditID", c.w.Header().Get(headerAuditID))
}
