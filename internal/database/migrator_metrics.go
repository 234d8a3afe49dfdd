package database

import "github.com/prometheus/client_golang/prometheus"

// Descriptions of what a Migrator says of itself. Only the server that migrates counts: a sum over
// all replicas is the progress of the database.
var (
	migratedObjects = prometheus.NewDesc("typeplane_storage_migration_rewritten_total", "Objects that this server has rewritten because they were stored in an old form.", nil, nil)
	migrationLeft   = prometheus.NewDesc("typeplane_storage_migration_left", "Objects that the migration under way has still to rewrite in the resource that it is at.", nil, nil)
	migrationWaits  = prometheus.NewDesc("typeplane_storage_migration_waiting", "1 while the migration waits for servers of an older release.", nil, nil)
)

var _ prometheus.Collector = (*Migrator)(nil)

// Describe sends the three metrics.
func (m *Migrator) Describe(out chan<- *prometheus.Desc) {
	out <- migratedObjects
	out <- migrationLeft
	out <- migrationWaits
}

// Collect sends what report says.
func (m *Migrator) Collect(out chan<- prometheus.Metric) {
	now, waiting := m.report(), 0.0
	if now.State == stateWaiting {
		waiting = 1
	}
	out <- prometheus.MustNewConstMetric(migratedObjects, prometheus.CounterValue, float64(now.Rewritten))
	out <- prometheus.MustNewConstMetric(migrationLeft, prometheus.GaugeValue, float64(now.Left))
	out <- prometheus.MustNewConstMetric(migrationWaits, prometheus.GaugeValue, waiting)
}
