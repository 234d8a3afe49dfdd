package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Handler gives the page of metrics: those of the registry, and those that libraries register for
// the whole process, which are the Go runtime's, the process's and the embedded etcd's. A metric
// that can't be had is left out, and the rest is shown.
func Handler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(prometheus.Gatherers{registry, prometheus.DefaultGatherer}, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}
