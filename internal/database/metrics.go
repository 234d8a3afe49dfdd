package database

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
	"github.com/typeplane/typeplane/storage/embedded"
	"github.com/typeplane/typeplane/storage/etcd3"
)

// askTimeout bounds what a page of metrics waits for the database.
const askTimeout = time.Second

// Descriptions of what is read when somebody asks for the metrics. The first three are Kubernetes'
// own.
var (
	byResource = []string{"group", "resource"}

	storedObjects   = prometheus.NewDesc("apiserver_storage_objects", "Objects that are stored.", []string{"resource"}, nil)
	resourceObjects = prometheus.NewDesc("apiserver_resource_objects", "Objects that are stored.", byResource, nil)
	storageSize     = prometheus.NewDesc("apiserver_storage_size_bytes", "Size of the file of the database.", []string{"storage_cluster_id"}, nil)

	storageInUse = prometheus.NewDesc("typeplane_storage_in_use_bytes", "What of the database's file is in use.", []string{"storage_cluster_id"}, nil)
	storageQuota = prometheus.NewDesc("typeplane_storage_quota_bytes", "Size of the database's file at which etcd refuses writes.", []string{"storage_cluster_id"}, nil)
	diskFree     = prometheus.NewDesc("typeplane_storage_disk_free_bytes", "What is free of the disk of the embedded etcd.", nil, nil)
	diskReserve  = prometheus.NewDesc("typeplane_storage_disk_reserve_bytes", "Free space of the disk of the embedded etcd below which only deletions are taken.", nil, nil)
)

// cacheMetric is one number of a cache's Stats.
type cacheMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	of   func(cacher.Stats) float64
}

func cacheGauge(name, help string, of func(cacher.Stats) float64) cacheMetric {
	return cacheMetric{prometheus.NewDesc("typeplane_watch_cache_"+name, help, byResource, nil), prometheus.GaugeValue, of}
}

func cacheCounter(name, help string, of func(cacher.Stats) float64) cacheMetric {
	return cacheMetric{prometheus.NewDesc("typeplane_watch_cache_"+name, help, byResource, nil), prometheus.CounterValue, of}
}

var cacheMetrics = []cacheMetric{
	cacheGauge("entries", "Objects in the watch cache.", func(s cacher.Stats) float64 { return float64(s.Entries) }),
	cacheGauge("bytes", "Bytes of the objects in the watch cache.", func(s cacher.Stats) float64 { return float64(s.Bytes) }),
	cacheGauge("log_events", "Events that the cache remembers for watchers.", func(s cacher.Stats) float64 { return float64(s.Events) }),
	cacheGauge("log_bytes", "Memory of the events that the cache remembers, beside that of the current objects.", func(s cacher.Stats) float64 { return float64(s.EventBytes) }),
	cacheCounter("early_evictions_total", "Events that were forgotten early because they took too much memory; slow watchers were sent away.", func(s cacher.Stats) float64 { return float64(s.Early) }),
	cacheGauge("revision", "Revision of etcd that the cache has come to.", func(s cacher.Stats) float64 { return float64(s.Revision) }),
	cacheGauge("watchers", "Watches that are open.", func(s cacher.Stats) float64 { return float64(s.Watches) }),
	cacheGauge("watchers_waiting", "Watches that have nothing to send at this moment.", func(s cacher.Stats) float64 { return float64(s.Waiting) }),
	cacheCounter("source_breaks_total", "Watches of etcd that broke and were begun again.", func(s cacher.Stats) float64 { return float64(s.Broken) }),
	cacheCounter("source_lists_total", "Times that the cache was filled from a list of etcd.", func(s cacher.Stats) float64 { return float64(s.Lists) }),
	cacheCounter("late_total", "Times that the cache was so far behind etcd that reads stopped waiting for it.", func(s cacher.Stats) float64 { return float64(s.Late) }),
	cacheCounter("passed_reads_total", "Reads that etcd answered because the cache was behind.", func(s cacher.Stats) float64 { return float64(s.Passed) }),
	cacheCounter("digest_checks_total", "Comparisons of the cache with etcd.", func(s cacher.Stats) float64 { return float64(s.Checks) }),
	cacheCounter("digest_mismatches_total", "Comparisons of the cache with etcd that found a difference, whereupon the cache began anew. Each is a bug or a broken etcd.", func(s cacher.Stats) float64 { return float64(s.Mistrusted) }),
	cacheGauge("digest_check_seconds", "Duration of the last comparison of the cache with etcd.", func(s cacher.Stats) float64 { return s.LastCheck.Seconds() }),
}

// storeMetrics read the caches and the databases whenever somebody asks.
type storeMetrics struct{ dbs *Databases }

var _ prometheus.Collector = (*storeMetrics)(nil)

// Describe says nothing, so that which metrics there are may depend on the options.
func (m *storeMetrics) Describe(chan<- *prometheus.Desc) {}

// Collect reads everything that can be read; what fails is missing on the page.
func (m *storeMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	for n, db := range m.dbs.All() {
		db.collectObjects(ctx, out)
		db.collectCaches(out)
		db.collectDisk(out)
		db.collectSpace(ctx, fmt.Sprintf("etcd-%d", n), out)
	}
}

// collectObjects asks the stores, which are caches, or etcd where there are none.
func (d *Database) collectObjects(ctx context.Context, out chan<- prometheus.Metric) {
	for _, s := range d.ownStores() {
		n, err := s.Count(ctx, s.prefix)
		if err != nil {
			d.log.Debug("the number of objects is not known", "resource", s.resource, "error", err)
			continue
		}
		out <- prometheus.MustNewConstMetric(storedObjects, prometheus.GaugeValue, float64(n), s.resource.String())
		out <- prometheus.MustNewConstMetric(resourceObjects, prometheus.GaugeValue, float64(n), s.resource.Group, s.resource.Resource)
	}
}

func (d *Database) collectCaches(out chan<- prometheus.Metric) {
	for _, c := range d.ownCaches() {
		stats := c.Stats()
		for _, metric := range cacheMetrics {
			out <- prometheus.MustNewConstMetric(metric.desc, metric.kind, metric.of(stats), c.resource.Group, c.resource.Resource)
		}
	}
}

// collectSpace asks an etcd, which goes by the name that a kube-apiserver would give it.
func (d *Database) collectSpace(ctx context.Context, name string, out chan<- prometheus.Metric) {
	if d.Client == nil {
		return
	}
	space, err := etcd3.AskSpace(ctx, d.Client)
	if err != nil {
		d.log.Debug("the size of the database is not known", "error", err)
		return
	}
	out <- prometheus.MustNewConstMetric(storageSize, prometheus.GaugeValue, float64(space.File), name)
	out <- prometheus.MustNewConstMetric(storageInUse, prometheus.GaugeValue, float64(space.InUse), name)
	out <- prometheus.MustNewConstMetric(storageQuota, prometheus.GaugeValue, float64(space.Quota), name)
}

func (d *Database) collectDisk(out chan<- prometheus.Metric) {
	if d.embedded == nil {
		return
	}
	free, err := d.embedded.DiskFree()
	if err != nil {
		d.log.Debug("the free space of the disk is not known", "error", err)
		return
	}
	out <- prometheus.MustNewConstMetric(diskFree, prometheus.GaugeValue, float64(free))
	out <- prometheus.MustNewConstMetric(diskReserve, prometheus.GaugeValue, embedded.DiskReserve)
}

// resourceStore is a store, what is in it, and where.
type resourceStore struct {
	storage.Interface
	prefix   string
	resource schema.GroupResource
	house    *house // nil if it stays where it was opened
}

// resourceCache is a cache and what is in it.
type resourceCache struct {
	*cacher.Cacher
	resource schema.GroupResource
	house    *house // nil if it stays where it was opened
}
