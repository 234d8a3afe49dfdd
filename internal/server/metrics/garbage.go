package metrics

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// Garbage are the metrics of the garbage collector. Those of kube-controller-manager have its
// names. It is safe for concurrent use.
type Garbage struct {
	// SyncErrors counts how often a resource could not be followed, Retries what could not be done
	// at once, Collected what was deleted, by group and resource.
	SyncErrors, Retries prometheus.Counter
	Collected           *prometheus.CounterVec

	sizes atomic.Pointer[func() (objects, depth int)]
}

// NewGarbage registers the metrics of the garbage collector.
func NewGarbage(registry prometheus.Registerer) *Garbage {
	queue := prometheus.Labels{"name": "garbage_collector_attempt_to_delete"}
	g := &Garbage{
		SyncErrors: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "garbagecollector_controller_resources_sync_error_total", Help: "Times that the garbage collector lost sight of a resource.",
		}),
		Retries: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "workqueue_retries_total", Help: "Objects that could not be looked at, or not be changed, and are tried again.", ConstLabels: queue,
		}),
		Collected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "typeplane_garbage_collected_total", Help: "Objects that the garbage collector has deleted.",
		}, []string{"group", "resource"}),
	}
	registry.MustRegister(g.SyncErrors, g.Retries, g.Collected,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "typeplane_garbage_objects", Help: "Objects that the garbage collector knows; 0 where another server collects."},
			func() float64 { return g.size(func(objects, _ int) int { return objects }) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "workqueue_depth", Help: "Objects that the garbage collector has to look at.", ConstLabels: queue},
			func() float64 { return g.size(func(_, depth int) int { return depth }) }))
	return g
}

// Sizes has the gauges ask a collector that runs; nil: none does.
func (g *Garbage) Sizes(ask func() (objects, depth int)) {
	if ask == nil {
		g.sizes.Store(nil)
		return
	}
	g.sizes.Store(&ask)
}

func (g *Garbage) size(of func(objects, depth int) int) float64 {
	ask := g.sizes.Load()
	if ask == nil {
		return 0
	}
	return float64(of((*ask)()))
}
