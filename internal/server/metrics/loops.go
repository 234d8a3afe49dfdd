package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/internal/recovery"
)

// Loops is the metric of panics in loops of the process.
type Loops struct{}

var loopPanics = prometheus.NewDesc("typeplane_loop_panics_total",
	"Panics in loops of the server, which left out the object concerned or started again; its log has their stacks.", []string{"loop"}, nil)

// Describe implements prometheus.Collector.
func (Loops) Describe(descs chan<- *prometheus.Desc) { descs <- loopPanics }

// Collect implements prometheus.Collector.
func (Loops) Collect(metrics chan<- prometheus.Metric) {
	for loop, n := range recovery.Panics() {
		metrics <- prometheus.MustNewConstMetric(loopPanics, prometheus.CounterValue, float64(n), loop)
	}
}
