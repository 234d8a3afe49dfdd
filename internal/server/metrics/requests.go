package metrics

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Other stands for what is not known: the values of a label must be bounded, whatever clients send.
const Other = "other"

// The values of the label request_kind.
const (
	ReadOnly = "readOnly"
	Mutating = "mutating"
)

// component is whose requests these are: Kubernetes tells an API server from an aggregator by it.
const component = "apiserver"

// seconds are the buckets of times, those of Kubernetes.
var seconds = []float64{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60}

// What is the kind of a request. Its fields are the labels, and the caller bounds what they may be.
type What struct {
	// Verb is LIST, WATCH, APPLY … or an HTTP method; Scope is cluster, namespace, resource, or ""
	// for a document.
	Verb, Scope string
	// Group, Version, Resource and Subresource are as in the path. For a document Subresource is
	// its path.
	Group, Version, Resource, Subresource string
	DryRun                                bool
}

// Requests are the metrics of requests. It is safe for concurrent use.
type Requests struct {
	total       *prometheus.CounterVec
	duration    *prometheus.HistogramVec
	sizes       *prometheus.HistogramVec
	longRunning *prometheus.GaugeVec
	inFlight    *prometheus.GaugeVec
	dropped     *prometheus.CounterVec
	events      *prometheus.CounterVec
	panics      prometheus.Counter

	known sync.Map // What to *Series
}

// NewRequests registers the metrics of requests.
func NewRequests(registry prometheus.Registerer) *Requests {
	labels := []string{"verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"}
	plain := []string{"verb", "group", "version", "resource", "subresource", "scope", "component"}
	r := &Requests{
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_request_total", Help: "Requests that were answered, by verb, resource and code.",
		}, append(labels[:len(labels):len(labels)], "code")),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_request_duration_seconds", Help: "Time from the header of a request to the end of its answer; for a watch, how long it lasted.", Buckets: seconds,
		}, labels),
		sizes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_response_sizes", Help: "Bytes of the bodies of answers, as sent.", Buckets: prometheus.ExponentialBuckets(1000, 10, 7),
		}, plain),
		longRunning: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "apiserver_longrunning_requests", Help: "Watches that are open.",
		}, plain),
		inFlight: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "apiserver_current_inflight_requests", Help: "Requests that are being answered at this moment, watches not counted.",
		}, []string{"request_kind"}),
		dropped: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_dropped_requests_total", Help: "Requests that got 429 because too many were being answered.",
		}, []string{"request_kind"}),
		events: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_watch_events_total", Help: "Events that were sent to watchers.",
		}, []string{"group", "version", "resource"}),
		panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "typeplane_request_panics_total", Help: "Requests that made the server panic; its log has their stacks.",
		}),
	}
	registry.MustRegister(r.total, r.duration, r.sizes, r.longRunning, r.inFlight, r.dropped, r.events, r.panics)
	return r
}

// Places returns what counts the requests of a kind: those in flight, and those for which there was
// no room.
func (r *Requests) Places(kind string) (inFlight prometheus.Gauge, dropped prometheus.Counter) {
	return r.inFlight.WithLabelValues(kind), r.dropped.WithLabelValues(kind)
}

// Events returns the counter of a resource's watch events.
func (r *Requests) Events(group, version, resource string) prometheus.Counter {
	return r.events.WithLabelValues(group, version, resource)
}

// Panicked counts a request that made the server panic.
func (r *Requests) Panicked() { r.panics.Inc() }

// Of returns the metrics of a kind of request.
func (r *Requests) Of(what What) *Series {
	if s, ok := r.known.Load(what); ok {
		return s.(*Series)
	}
	dryRun := ""
	if what.DryRun {
		dryRun = "All"
	}
	labels := []string{what.Verb, dryRun, what.Group, what.Version, what.Resource, what.Subresource, what.Scope, component}
	plain := append(labels[:1:1], labels[2:]...)
	s, _ := r.known.LoadOrStore(what, &Series{
		total:       r.total,
		labels:      labels,
		duration:    r.duration.WithLabelValues(labels...),
		size:        r.sizes.WithLabelValues(plain...),
		LongRunning: sync.OnceValue(func() prometheus.Gauge { return r.longRunning.WithLabelValues(plain...) }),
	})
	return s.(*Series)
}

// Series are the metrics of one kind of request.
type Series struct {
	total    *prometheus.CounterVec
	labels   []string
	codes    sync.Map // code (int) to prometheus.Counter
	duration prometheus.Observer
	size     prometheus.Observer
	// LongRunning is how many such requests last at this moment; for watches only.
	LongRunning func() prometheus.Gauge
}

// Done counts a request that was answered with an HTTP code and a body of so many bytes.
func (s *Series) Done(code int, took time.Duration, bytes int64) {
	s.counter(code).Inc()
	s.duration.Observe(took.Seconds())
	s.size.Observe(float64(bytes))
}

func (s *Series) counter(code int) prometheus.Counter {
	if c, ok := s.codes.Load(code); ok {
		return c.(prometheus.Counter)
	}
	c, _ := s.codes.LoadOrStore(code, s.total.WithLabelValues(append(s.labels[:len(s.labels):len(s.labels)], strconv.Itoa(code))...))
	return c.(prometheus.Counter)
}
