package database

import (
	"context"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane/storage"
	"github.com/typeplane/typeplane/storage/cacher"
)

// brokenSource is down, except that it knows of one object that it is missing.
type brokenSource struct{ cacher.Source }

func (brokenSource) Get(_ context.Context, key string, _ storage.GetOptions) (storage.Entry, error) {
	code := storage.CodeUnavailable
	if key == "/missing" {
		code = storage.CodeNotFound
	}
	return storage.Entry{}, &storage.Error{Code: code, Op: "get", Key: key}
}

// TestOnlyFailuresAreErrors asks for an object that is not there, which is an answer, and then a
// source that is down.
func TestOnlyFailuresAreErrors(t *testing.T) {
	metrics := prometheus.NewRegistry()
	source := newEtcdTimes(metrics).timed(brokenSource{}, schema.GroupResource{Resource: "widgets"})
	for _, key := range []string{"/missing", "/down"} {
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
	if got["etcd_requests_total"] != 2 || got["etcd_request_errors_total"] != 1 {
		t.Errorf("%v", got)
	}
}
