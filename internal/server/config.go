package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/fairness"
	"github.com/typeplane/typeplane/internal/server/audit"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime"
	"github.com/typeplane/typeplane/trace"
)

// Config says what a server serves and to whom. The zero value of a field is documented with it;
// New copies the Config, but not what it points to.
type Config struct {
	// Name is the title of the OpenAPI documents ("library").
	Name string
	// Resources are what is served: one for each served version. The order of groups in discovery
	// is that of their first resource here.
	Resources []rest.Resource
	// Scheme decodes the bodies of requests. It must know every kind in Resources.
	Scheme *runtime.Scheme
	// OpenAPI holds the schemas of each group version: a JSON object from model name to schema, in
	// which every reference can be resolved. A group version without an entry has no OpenAPI
	// document.
	OpenAPI map[schema.GroupVersion]string

	// Authenticator says who asks; nil knows nobody, so that everything but the public paths
	// is 401.
	Authenticator auth.Authenticator
	// Revocations say when the credential of a user is revoked, which ends watches; nil: never.
	Revocations *auth.Revocations
	// Authorizer says what they may do; nil allows members of system:masters everything and others
	// nothing.
	Authorizer auth.Authorizer

	// Version is what /version answers. An empty GitVersion is refused: Helm compares it.
	Version Version
	// Livez are the checks that mean "restart me", and Readyz those that mean "send no requests
	// now". Healthz mean "somebody must look after me", while requests are answered as ever.
	Livez, Readyz, Healthz []Check

	// Reports are answered as JSON, to users whom the Authorizer allows to get their path.
	Reports []Report
	// Documents are answered as they are, to users whom the Authorizer allows to get their path.
	// Proxies may keep them for an hour.
	Documents []Document

	// Console makes what answers below ConsolePath, by whatever way it lets people in. It is given
	// the Server, for requests to the API. Nil: there is nothing below it.
	Console     func(api http.Handler) (http.Handler, error)
	ConsolePath string

	// Metrics is where the metrics of requests are registered, and what /metrics shows to users
	// whom the Authorizer allows to get it. A registry is for one server. Nil: there is no such
	// page.
	Metrics *prometheus.Registry

	// Tracer keeps what requests went through; nil keeps nothing.
	Tracer trace.Recorder

	// Audit keeps a record of requests; nil keeps none. Whoever opened it closes it, after Serve.
	Audit *audit.Log

	// RequestTimeout bounds every request but watches, and ?timeout=. Zero: 60 s.
	RequestTimeout time.Duration
	// WatchTimeout bounds a watch that says no timeoutSeconds: a random time in [WatchTimeout,
	// 2·WatchTimeout). Zero: 30 minutes.
	WatchTimeout time.Duration
	// MaxBody is the greatest body of a request in bytes. Zero: 3 MiB.
	MaxBody int64
	// MaxRequestsInFlight is how many requests that change nothing are answered at the same time,
	// watches not counted; MaxMutatingRequestsInFlight is how many others. What is more gets 429,
	// except for members of system:masters. Zero: 400 and 200; below zero: no bound.
	MaxRequestsInFlight, MaxMutatingRequestsInFlight int
	// Fairness says which request is answered when, in place of the two bounds above. nil: they
	// hold.
	Fairness *fairness.Controller
	// MaxWatchesPerUser is how many watches one user may have open; one more gets 429, except for
	// members of system:masters. Zero: 5,000; below zero: no bound.
	MaxWatchesPerUser int
	// MaxStreams is how many requests a client may have under way on one HTTP/2 connection.
	// Zero: 250.
	MaxStreams int
	// CORSOrigins are the origins of web pages that may use the API from a browser. None: no page.
	CORSOrigins []*regexp.Regexp
	// WatchDrain is within which time watches end when the server stops, a millisecond for each
	// unless that is more. Zero: all end at once.
	WatchDrain time.Duration
	// ShutdownDelay is how long Serve goes on accepting requests after /readyz began to fail. Zero:
	// no time.
	ShutdownDelay time.Duration
	// ShutdownTimeout bounds the wait for requests in flight. Zero: 60 s.
	ShutdownTimeout time.Duration

	// Log receives panics and answers that failed on the way. Nil: slog.Default().
	Log *slog.Logger
}

// Check is one health check. Its name is a part of a path, its error is shown to whoever may read
// it.
type Check struct {
	Name  string
	Check func(context.Context) error
	// Note returns what users are told beside the outcome, "" for nothing. It may be nil.
	Note func() string
}

// note is what users are told of a check that had an outcome.
func (c *Check) note() string {
	if c.Note == nil {
		return ""
	}
	return c.Note()
}

// Report is a document that is made when somebody asks for it. Path is that of the document, Make
// returns what is encoded as JSON.
type Report struct {
	Path string
	Make func(context.Context) (any, error)
}

// Document is an answer that is always the same. Body is not modified.
type Document struct {
	Path, ContentType string
	Body              []byte
}

// The bounds of writes and bodies that Kubernetes has, too.
const (
	defaultRequestTimeout = 60 * time.Second
	defaultWatchTimeout   = 30 * time.Minute
	defaultMaxBody        = 3 << 20
	// How many requests are answered at the same time.
	defaultInFlight         = 400
	defaultMutatingInFlight = 200
	defaultWatchesPerUser   = 5000
	defaultStreams          = 250
	// writeTimeout bounds create, update, patch and delete below RequestTimeout.
	writeTimeout = 34 * time.Second
)

// complete fills in defaults and returns every mistake.
func (c *Config) complete() error {
	setDefault(&c.Name, "api")
	setDefault(&c.RequestTimeout, defaultRequestTimeout)
	setDefault(&c.WatchTimeout, defaultWatchTimeout)
	setDefault(&c.MaxBody, int64(defaultMaxBody))
	setDefault(&c.MaxRequestsInFlight, defaultInFlight)
	setDefault(&c.MaxMutatingRequestsInFlight, defaultMutatingInFlight)
	setDefault(&c.MaxWatchesPerUser, defaultWatchesPerUser)
	setDefault(&c.MaxStreams, defaultStreams)
	setDefault(&c.ShutdownTimeout, defaultRequestTimeout)
	if c.Authenticator == nil {
		c.Authenticator = auth.Nobody{}
	}
	if c.Revocations == nil {
		c.Revocations = new(auth.Revocations)
	}
	if c.Authorizer == nil {
		c.Authorizer = auth.Masters{}
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}

	var errs []error
	if c.Scheme == nil {
		errs = append(errs, errors.New("server: Config.Scheme is nil"))
	}
	errs = append(errs, c.Version.complete())
	seen := map[schema.GroupVersionResource]bool{}
	for i := range c.Resources {
		r := &c.Resources[i]
		gvr := keyOf(r)
		switch {
		case r.Name == "" || r.Kind == "" || r.Singular == "" || r.GroupVersion.Version == "":
			errs = append(errs, fmt.Errorf("server: resource %q of kind %q in %q: name, kind, singular name and version must be set", r.Name, r.Kind, r.GroupVersion))
		case (r.List != nil || r.Watch != nil) && r.ListKind == "":
			errs = append(errs, fmt.Errorf("server: resource %s: can be listed, but has no list kind", gvr))
		case seen[gvr]:
			errs = append(errs, fmt.Errorf("server: resource %s is there twice", gvr))
		case c.Scheme != nil && !c.Scheme.Recognizes(r.GroupVersion.WithKind(r.Kind)) && (r.Subresource != "" || r.NewBody == nil):
			errs = append(errs, fmt.Errorf("server: resource %s: the scheme does not know its kind %s", gvr, r.Kind))
		}
		seen[gvr] = true
	}
	for i := range c.Resources {
		errs = append(errs, c.checkSubresource(&c.Resources[i], seen))
	}
	return errors.Join(errs...)
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A subresource is a resource below the objects of another one: /books/{name}/status. It is found,
// described and allowed under both names, "books/status".

// keyOf is where route finds a resource.
func keyOf(r *rest.Resource) schema.GroupVersionResource {
	return r.GroupVersion.WithResource(r.FullName())
}

// checkSubresource says what is wrong with a subresource, whose own names are checked like those of
// any resource.
func (c *Config) checkSubresource(r *rest.Resource, served map[schema.GroupVersionResource]bool) error {
	var errs []error
	bad := func(problem string) {
		errs = append(errs, fmt.Errorf("server: resource %s: %s", keyOf(r), problem))
	}
	if r.Subresource != "" && !served[r.GroupVersion.WithResource(r.Name)] {
		bad("there is no resource that it is a subresource of")
	}
	if r.Subresource != "" && (r.List != nil || r.Watch != nil || r.DeleteCollection != nil) {
		bad("a subresource is no collection: it has no List, Watch or DeleteCollection")
	}
	if r.Connect != nil && (r.Subresource == "" || r.Get != nil || r.Create != nil || r.Update != nil || r.Patch != nil || r.Delete != nil) {
		bad("only a subresource can be connected to, and then it has no other verbs")
	}
	if r.ConnectBelow && r.Connect == nil {
		bad("there is no Connect that could answer below its path")
	}
	for _, method := range r.ConnectMethods {
		if rest.ConnectVerb(method) == "" || r.Connect == nil {
			bad(fmt.Sprintf("there is no Connect, or none with the method %q", method))
		}
	}
	if r.NewBody != nil && r.BodyKind.Empty() {
		bad("it makes bodies of a kind that it does not name: set BodyKind")
	}
	sent := r.Create != nil || r.Update != nil || r.Patch != nil
	if r.NewBody == nil && sent && !r.BodyKind.Empty() && c.Scheme != nil && !c.Scheme.Recognizes(r.BodyKind) {
		bad(fmt.Sprintf("the scheme does not know the kind of its bodies, %s: set NewBody", r.BodyKind))
	}
	return errors.Join(errs...)
}
