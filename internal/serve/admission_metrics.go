package serve

import (
	"log/slog"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/typeplane/typeplane/admission"
)

// admissionSeconds are the buckets of times, those of Kubernetes.
var admissionSeconds = []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5}

// admissionMetrics says how long admission takes, in the metrics of Kubernetes: type is admit,
// validate or, for Transact, charge, which Kubernetes counts as validate.
type admissionMetrics struct {
	plugins, steps *prometheus.HistogramVec
	log            *slog.Logger
}

func newAdmissionMetrics(registry prometheus.Registerer, log *slog.Logger) *admissionMetrics {
	m := &admissionMetrics{
		plugins: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_admission_controller_admission_duration_seconds", Help: "What an admission plug-in took for a request.", Buckets: admissionSeconds,
		}, []string{"name", "type", "operation", "rejected"}),
		steps: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_admission_step_admission_duration_seconds", Help: "What all admission plug-ins together took for a request.", Buckets: admissionSeconds,
		}, []string{"type", "operation", "rejected"}),
		log: log,
	}
	registry.MustRegister(m.plugins, m.steps)
	return m
}

// observe counts what a plug-in did, and logs where it panicked.
func (m *admissionMetrics) observe(o admission.Observation) {
	if o.Stack != nil {
		m.log.Error("an admission plug-in panicked", "plugin", o.Plugin, "error", o.Err, "stack", string(o.Stack))
	}
	rejected := strconv.FormatBool(o.Err != nil)
	if o.Plugin == "" {
		m.steps.WithLabelValues(string(o.Step), string(o.Operation), rejected).Observe(o.Took.Seconds())
		return
	}
	m.plugins.WithLabelValues(o.Plugin, string(o.Step), string(o.Operation), rejected).Observe(o.Took.Seconds())
}
