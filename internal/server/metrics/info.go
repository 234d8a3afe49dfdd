package metrics

import "github.com/prometheus/client_golang/prometheus"

// RegisterInfo registers a metric that is always 1, and says something by its labels.
func RegisterInfo(registry prometheus.Registerer, name, help string, labels map[string]string) {
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels})
	info.Set(1)
	registry.MustRegister(info)
}
