package database

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// brokenSource answers each get with the code that its key stands for.
type brokenSource struct {
	cacher.Source
	codes map[string]storage.Code
}

func (b brokenSource) Get(_ context.Context, key string, _ storage.GetOptions) (storage.Entry, error) {
	return storage.Entry{}, &storage.Error{Code: b.codes[key], Op: "get", Key: key}
}

// TestOnlyFailuresAreErrors: what the database says of objects is an answer; that it is down, full,
// or does not say what became of a write, is none.
func TestOnlyFailuresAreErrors(t *testing.T) {
	metrics := prometheus.NewRegistry()
	codes := map[string]storage.Code{
		"/missing": storage.CodeNotFound, "/there": storage.CodeExists, "/damaged": storage.CodeCorrupt, "/old": storage.CodeCompacted, "/large": storage.CodeTooLarge,
		"/down": storage.CodeUnavailable, "/unknown": storage.CodeUnknown, "/full": storage.CodeNoSpace, "/failed": storage.CodeFailed,
	}
	source := newEtcdTimes(metrics).timed(brokenSource{codes: codes}, schema.GroupResource{Resource: "widgets"})
	for key := range codes {
		if _, err := source.Get(t.Context(), key, storage.GetOptions{}); err == nil {
			t.Fatal("no error")
		}
	}
	families, err := metrics.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetValue() == "get" {
					got[f.GetName()] = m.GetCounter().GetValue()
				}
			}
		}
	}
	if got["etcd_requests_total"] != 9 || got["etcd_request_errors_total"] != 4 {
		t.Errorf("%v", got)
	}
}
