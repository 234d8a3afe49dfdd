package garbage

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics count what the collector does. The first three are those of kube-controller-manager.
type metrics struct {
	syncErrors prometheus.Counter
	collected  *prometheus.CounterVec
	failures   prometheus.Counter
	leading    atomic.Pointer[graph] // nil while another server leads
}

func newMetrics(registry prometheus.Registerer) *metrics {
	m := &metrics{
		syncErrors: prometheus.NewCounter(prometheus.CounterOpts{Name: "garbagecollector_controller_resources_sync_error_total", Help: "Times that the garbage collector lost sight of a resource."}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{Name: "workqueue_retries_total", Help: "Objects that could not be judged and are tried again.",
			ConstLabels: prometheus.Labels{"name": queueName}}),
		collected: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "typeplane_garbage_collected_total", Help: "Objects that the garbage collector has deleted."}, []string{"group", "resource"}),
	}
	registry.MustRegister(m.syncErrors, m.failures, m.collected,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "workqueue_depth", Help: "Objects that the garbage collector has to look at.",
			ConstLabels: prometheus.Labels{"name": queueName}}, m.of((*graph).depth)),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "typeplane_garbage_objects", Help: "Objects that the garbage collector knows; 0 where another server collects."}, m.of((*graph).size)))
	return m
}

// queueName is that of kube-controller-manager's queue for the same work.
const queueName = "garbage_collector_attempt_to_delete"

// graphOf has the gauges show a graph, nil for none.
func (m *metrics) graphOf(g *graph) { m.leading.Store(g) }

func (m *metrics) of(count func(*graph) int) func() float64 {
	return func() float64 {
		if g := m.leading.Load(); g != nil {
			return float64(count(g))
		}
		return 0
	}
}
