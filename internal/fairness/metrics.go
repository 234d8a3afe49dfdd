package fairness

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The labels of metrics.
const (
	labelLevel  = "priority_level"
	labelSchema = "flow_schema"
)

// seconds are the buckets of times, those of Kubernetes.
var seconds = []float64{0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30}

// meter has the metrics, under the names of Kubernetes. Handles are found when the configuration
// changes, so that a request needs no lookup.
type meter struct {
	rejected, dispatched                       *prometheus.CounterVec
	queuedRequests, queuedSeats                *prometheus.GaugeVec
	requests, seats                            *prometheus.GaugeVec
	waits, durations, estimated                *prometheus.HistogramVec
	nominal, least, most, limit                *prometheus.GaugeVec
	wantedPeak, wantedAverage, wantedDeviation *prometheus.GaugeVec
	wantedSmoothed                             *prometheus.GaugeVec

	flows  map[flowKey]*flowMeter
	levels map[string]bool
}

type flowKey struct{ level, schema string }

func newMeter(registry prometheus.Registerer) *meter {
	flow, level := []string{labelLevel, labelSchema}, []string{labelLevel}
	counter := func(name, help string, more ...string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "apiserver", Subsystem: "flowcontrol", Name: name, Help: help}, append(flow[:2:2], more...))
		registry.MustRegister(v)
		return v
	}
	gauge := func(name, help string, labels []string) *prometheus.GaugeVec {
		v := prometheus.NewGaugeVec(prometheus.GaugeOpts{Namespace: "apiserver", Subsystem: "flowcontrol", Name: name, Help: help}, labels)
		registry.MustRegister(v)
		return v
	}
	histogram := func(name, help string, buckets []float64, more ...string) *prometheus.HistogramVec {
		v := prometheus.NewHistogramVec(prometheus.HistogramOpts{Namespace: "apiserver", Subsystem: "flowcontrol", Name: name, Help: help, Buckets: buckets}, append(flow[:2:2], more...))
		registry.MustRegister(v)
		return v
	}
	return &meter{
		rejected:       counter("rejected_requests_total", "Requests that got 429, by the reason.", "reason"),
		dispatched:     counter("dispatched_requests_total", "Requests that got their seats."),
		queuedRequests: gauge("current_inqueue_requests", "Requests that wait in a queue.", flow),
		queuedSeats:    gauge("current_inqueue_seats", "Seats that requests wait for in queues.", flow),
		requests:       gauge("current_executing_requests", "Requests that are answered at this moment; watches until their first events are sent.", flow),
		seats:          gauge("current_executing_seats", "Seats of the requests that are answered at this moment.", flow),
		waits:          histogram("request_wait_duration_seconds", "How long requests waited in a queue, by whether they got their seats.", seconds, "execute"),
		durations:      histogram("request_execution_seconds", "How long requests had their seats.", seconds, "type"),
		estimated:      histogram("work_estimated_seats", "How many seats requests were thought to need.", []float64{1, 2, 4, 8, 16, 32, 64, 100}),

		nominal: gauge("nominal_limit_seats", "Seats that are the share of a level.", level),
		least:   gauge("lower_limit_seats", "Seats of a level that it does not lend.", level),
		most:    gauge("upper_limit_seats", "Seats that a level may have with those that it borrows.", level),
		limit:   gauge("current_limit_seats", "Seats that a level has at this moment.", level),

		wantedPeak:      gauge("demand_seats_high_watermark", "The most seats that were wanted in the last ten seconds.", level),
		wantedAverage:   gauge("demand_seats_average", "How many seats were wanted in the last ten seconds, on average.", level),
		wantedDeviation: gauge("demand_seats_stdev", "The standard deviation of the seats that were wanted in the last ten seconds.", level),
		wantedSmoothed:  gauge("demand_seats_smoothed", "How many seats were wanted lately.", level),

		flows:  map[flowKey]*flowMeter{},
		levels: map[string]bool{},
	}
}

// flowMeter has the metrics of a schema in its level.
type flowMeter struct {
	key                         flowKey
	rejected                    map[error]prometheus.Counter
	dispatched                  prometheus.Counter
	queuedRequests, queuedSeats prometheus.Gauge
	requests, seats             prometheus.Gauge
	waitedThen                  map[bool]prometheus.Observer
	duration, estimated         prometheus.Observer
}

// flow returns the metrics of a schema; the same ones as long as keep keeps it.
func (m *meter) flow(level, schema string) *flowMeter {
	key := flowKey{level, schema}
	if f := m.flows[key]; f != nil {
		return f
	}
	f := &flowMeter{
		key:            key,
		rejected:       map[error]prometheus.Counter{},
		dispatched:     m.dispatched.WithLabelValues(level, schema),
		queuedRequests: m.queuedRequests.WithLabelValues(level, schema),
		queuedSeats:    m.queuedSeats.WithLabelValues(level, schema),
		requests:       m.requests.WithLabelValues(level, schema),
		seats:          m.seats.WithLabelValues(level, schema),
		waitedThen:     map[bool]prometheus.Observer{},
		duration:       m.durations.WithLabelValues(level, schema, "regular"),
		estimated:      m.estimated.WithLabelValues(level, schema),
	}
	for _, reason := range []error{ErrNoSeat, ErrQueueFull, ErrTimeOut, ErrCancelled} {
		f.rejected[reason] = m.rejected.WithLabelValues(level, schema, reason.Error())
	}
	for _, began := range []bool{true, false} {
		f.waitedThen[began] = m.waits.WithLabelValues(level, schema, strconv.FormatBool(began))
	}
	m.flows[key] = f
	return f
}

// keep forgets the metrics of all other schemas and levels.
func (m *meter) keep(rules []*schema, levels map[string]*level) {
	for name := range m.levels {
		if levels[name] == nil {
			m.forget(name)
		}
	}
	kept := map[flowKey]bool{}
	for _, s := range rules {
		kept[s.meter.key] = true
	}
	for key := range m.flows {
		if kept[key] {
			continue
		}
		delete(m.flows, key)
		labels := prometheus.Labels{labelLevel: key.level, labelSchema: key.schema}
		for _, v := range []interface {
			DeletePartialMatch(prometheus.Labels) int
		}{m.rejected, m.dispatched, m.queuedRequests, m.queuedSeats, m.requests, m.seats, m.waits, m.durations, m.estimated} {
			v.DeletePartialMatch(labels)
		}
	}
}

func (m *meter) forget(level string) {
	delete(m.levels, level)
	for _, v := range []*prometheus.GaugeVec{m.nominal, m.least, m.most, m.limit, m.wantedPeak, m.wantedAverage, m.wantedDeviation, m.wantedSmoothed} {
		v.DeleteLabelValues(level)
	}
}

func (f *flowMeter) refused(reason error) { f.rejected[reason].Inc() }

func (f *flowMeter) queued(requests, seats int) {
	f.queuedRequests.Add(float64(requests))
	f.queuedSeats.Add(float64(seats))
}

func (f *flowMeter) waited(time time.Duration, began bool) {
	f.waitedThen[began].Observe(time.Seconds())
}

func (f *flowMeter) began(seats int) {
	f.dispatched.Inc()
	f.requests.Inc()
	f.seats.Add(float64(seats))
}

func (f *flowMeter) ended(seats int, took time.Duration) {
	f.requests.Dec()
	f.seats.Sub(float64(seats))
	f.duration.Observe(took.Seconds())
}

// levelMeter has the metrics of a level.
type levelMeter struct {
	nominal, least, most, limit        prometheus.Gauge
	peak, average, deviation, smoothed prometheus.Gauge
}

func (m *meter) level(name string) *levelMeter {
	m.levels[name] = true
	return &levelMeter{
		nominal: m.nominal.WithLabelValues(name), least: m.least.WithLabelValues(name),
		most: m.most.WithLabelValues(name), limit: m.limit.WithLabelValues(name),
		peak: m.wantedPeak.WithLabelValues(name), average: m.wantedAverage.WithLabelValues(name),
		deviation: m.wantedDeviation.WithLabelValues(name), smoothed: m.wantedSmoothed.WithLabelValues(name),
	}
}

func (m *levelMeter) configured(nominal, least, most int) {
	m.nominal.Set(float64(nominal))
	m.least.Set(float64(least))
	m.most.Set(float64(most))
}

func (m *levelMeter) wanted(w wanted) {
	m.peak.Set(float64(w.peak))
	m.average.Set(w.average)
	m.deviation.Set(w.deviation)
	m.smoothed.Set(w.smoothed)
}
