package metrics

import (
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// webhookSeconds are the buckets of times of webhooks, those of Kubernetes.
var webhookSeconds = []float64{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 25}

// WebhookCall is a call of an admission webhook. Step is admit or validating, Reason
// calling_webhook_error, apiserver_internal_error, no_error or "" for a refusal that is counted
// nowhere.
type WebhookCall struct {
	Webhook, Step, Operation string
	Took                     time.Duration
	Code                     int
	Rejected                 bool
	Reason                   string
	FailedOpen               bool
}

// Webhooks are the metrics of admission webhooks. It is safe for concurrent use.
type Webhooks struct {
	duration             *prometheus.HistogramVec
	total                *prometheus.CounterVec
	rejected, failedOpen *prometheus.CounterVec
}

// NewWebhooks registers the metrics of admission webhooks. Several that are registered in one place
// count together.
func NewWebhooks(registry prometheus.Registerer) *Webhooks {
	w := &Webhooks{
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "apiserver_admission_webhook_admission_duration_seconds", Help: "What an admission webhook took for a request.", Buckets: webhookSeconds,
		}, []string{"name", "type", "operation", "rejected"}),
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_admission_webhook_request_total", Help: "Requests that an admission webhook was asked about, by the code of the answer.",
		}, []string{"name", "type", "operation", "code", "rejected"}),
		rejected: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_admission_webhook_rejection_count", Help: "Requests that were refused because of an admission webhook: error_type is no_error where it said no, else why it could not.",
		}, []string{"name", "type", "operation", "error_type", "rejection_code"}),
		failedOpen: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "apiserver_admission_webhook_fail_open_count", Help: "Requests that went on although an admission webhook could not be asked.",
		}, []string{"name", "type"}),
	}
	w.duration, w.total = registered(registry, w.duration), registered(registry, w.total)
	w.rejected, w.failedOpen = registered(registry, w.rejected), registered(registry, w.failedOpen)
	return w
}

// registered returns the collector, or the one that is registered already.
func registered[C prometheus.Collector](registry prometheus.Registerer, collector C) C {
	err := registry.Register(collector)
	var already prometheus.AlreadyRegisteredError
	if errors.As(err, &already) {
		return already.ExistingCollector.(C)
	}
	if err != nil {
		panic(err)
	}
	return collector
}

// Observe counts a call.
func (w *Webhooks) Observe(c WebhookCall) {
	rejected, code := strconv.FormatBool(c.Rejected), strconv.Itoa(c.Code)
	w.duration.WithLabelValues(c.Webhook, c.Step, c.Operation, rejected).Observe(c.Took.Seconds())
	w.total.WithLabelValues(c.Webhook, c.Step, c.Operation, code, rejected).Inc()
	if c.Reason != "" {
		w.rejected.WithLabelValues(c.Webhook, c.Step, c.Operation, c.Reason, code).Inc()
	}
	if c.FailedOpen {
		w.failedOpen.WithLabelValues(c.Webhook, c.Step).Inc()
	}
}
