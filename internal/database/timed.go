package database

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/trace"
)

// etcdTimes are the metrics of requests to the database, under Kubernetes' names.
type etcdTimes struct {
	duration      *prometheus.HistogramVec
	total, failed *prometheus.CounterVec
}

func newEtcdTimes(to prometheus.Registerer) *etcdTimes {
	labels := []string{"operation", "group", "resource"}
	t := &etcdTimes{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "etcd_request_duration_seconds", Help: "Time of an operation on the database, its retries included.",
			Buckets: []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.5, 2, 5, 10, 30, 60},
		}, labels),
		total:  prometheus.NewCounterVec(prometheus.CounterOpts{Name: "etcd_requests_total", Help: "Operations on the database."}, labels),
		failed: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "etcd_request_errors_total", Help: "Operations that the database could not do. What it says of objects, such as that one is not there, is none."}, labels),
	}
	to.MustRegister(t.duration, t.total, t.failed)
	return t
}

// timed is a source whose operations are measured. Watches are not: they last.
type timed struct {
	cacher.Source
	get, list, create, update, delete operation
}

func (t *etcdTimes) timed(source cacher.Source, resource schema.GroupResource) cacher.Source {
	of := func(name string) operation {
		return operation{
			name:     "etcd " + name,
			duration: t.duration.WithLabelValues(name, resource.Group, resource.Resource),
			total:    t.total.WithLabelValues(name, resource.Group, resource.Resource),
			failed:   t.failed.WithLabelValues(name, resource.Group, resource.Resource),
		}
	}
	return &timed{Source: source, get: of("get"), list: of("list"), create: of("create"), update: of("update"), delete: of("delete")}
}

// operation has the metrics of one kind of operation on one resource, and the name of it in traces.
type operation struct {
	name          string
	duration      prometheus.Observer
	total, failed prometheus.Counter
}

// begin returns the context of an operation, and what is to be called with its outcome.
func (o *operation) begin(ctx context.Context) (context.Context, func(error)) {
	begun := time.Now()
	ctx, step := trace.Begin(ctx, o.name)
	return ctx, func(err error) {
		step.End(err)
		o.done(begun, err)
	}
}

func (o *operation) done(begun time.Time, err error) {
	o.total.Inc()
	o.duration.Observe(time.Since(begun).Seconds())
	if couldNot(err) {
		o.failed.Inc()
	}
}

// couldNot says that the database has not done what it was asked for, or may not have done it.
func couldNot(err error) bool {
	switch storage.CodeOf(err) {
	case storage.CodeUnavailable, storage.CodeUnknown, storage.CodeNoSpace, storage.CodeFailed:
		return true
	}
	return false
}

func (t *timed) Get(ctx context.Context, key string, opts storage.GetOptions) (e storage.Entry, err error) {
	ctx, done := t.get.begin(ctx)
	defer func() { done(err) }()
	return t.Source.Get(ctx, key, opts)
}

func (t *timed) List(ctx context.Context, prefix string, opts storage.ListOptions) (p storage.Page, err error) {
	ctx, done := t.list.begin(ctx)
	defer func() { done(err) }()
	return t.Source.List(ctx, prefix, opts)
}

func (t *timed) Create(ctx context.Context, key string, value []byte, with ...storage.Op) (e storage.Entry, err error) {
	ctx, done := t.create.begin(ctx)
	defer func() { done(err) }()
	return t.Source.Create(ctx, key, value, with...)
}

func (t *timed) GuaranteedUpdate(ctx context.Context, key string, try storage.TryUpdate) (e storage.Entry, err error) {
	ctx, done := t.update.begin(ctx)
	defer func() { done(err) }()
	return t.Source.GuaranteedUpdate(ctx, key, try)
}

func (t *timed) UpdateKnown(ctx context.Context, known storage.Entry, try storage.TryUpdate) (e storage.Entry, err error) {
	ctx, done := t.update.begin(ctx)
	defer func() { done(err) }()
	return t.Source.UpdateKnown(ctx, known, try)
}

func (t *timed) Delete(ctx context.Context, key string, check storage.CheckDelete) (e storage.Entry, err error) {
	ctx, done := t.delete.begin(ctx)
	defer func() { done(err) }()
	return t.Source.Delete(ctx, key, check)
}

func (t *timed) DeleteKnown(ctx context.Context, known storage.Entry, check storage.CheckDelete) (e storage.Entry, err error) {
	ctx, done := t.delete.begin(ctx)
	defer func() { done(err) }()
	return t.Source.DeleteKnown(ctx, known, check)
}
