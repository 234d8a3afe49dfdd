package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/typeplane/typeplane/internal/drill"
)

// TestMetricSeries sends requests that have nothing in common: paths, methods, resources, names,
// selectors and clients that nobody has heard of. What a client makes up is no label, so the page
// of metrics does not grow with it.
func TestMetricSeries(t *testing.T) {
	s := start(t, t.TempDir())
	odd := func(n int) {
		for _, r := range []struct{ method, path string }{
			{http.MethodGet, fmt.Sprintf("/no/such/path-%d", n)},
			{fmt.Sprintf("VERB%d", n), books},
			{http.MethodGet, fmt.Sprintf("/apis/group-%d.example.com/v%d/kinds-%[1]d", n, n)},
			{http.MethodGet, fmt.Sprintf("/apis/library.example.com/v%d/books", n+10)},
			{http.MethodGet, fmt.Sprintf("/apis/library.example.com/v1/kinds-%d", n)},
			{http.MethodGet, fmt.Sprintf("/apis/library.example.com/v1/namespaces/ns-%d/books/book-%[1]d/sub-%[1]d", n)},
			{http.MethodGet, fmt.Sprintf("/apis/library.example.com/v1/namespaces/ns-%d/books?labelSelector=l%[1]d%%3D%[1]d", n)},
			{http.MethodGet, fmt.Sprintf("/readyz/check-%d", n)},
			{http.MethodGet, fmt.Sprintf("/openapi/v3/apis/group-%d", n)},
			{http.MethodPost, fmt.Sprintf("/apis/library.example.com/v1/namespaces/ns-%d/books?fieldManager=m%[1]d&dryRun=All", n)},
		} {
			req, err := http.NewRequest(r.method, s.URL+r.path, nil)
			if err != nil {
				t.Error(err)
				return
			}
			req.Header.Set("User-Agent", fmt.Sprintf("agent-%d/%[1]d", n))
			req.Header.Set("Content-Type", fmt.Sprintf("application/type-%d", n))
			req.Header.Set("Impersonate-User", fmt.Sprintf("user-%d", n))
			resp, err := s.Client.Do(req)
			if err != nil {
				t.Errorf("%s %s: %v", r.method, r.path, err)
				return
			}
			resp.Body.Close()
		}
	}
	series := func() int {
		code, body := s.get("/metrics")
		if code != http.StatusOK {
			t.Fatalf("metrics: %d", code)
		}
		n := 0
		for line := range bytes.Lines(body) {
			if line[0] != '#' {
				n++
			}
		}
		return n
	}
	for n := range 5 {
		odd(n) // what each kind of them makes at first
	}
	before := series()
	const clients, rounds = 8, 64
	var all sync.WaitGroup
	for client := range clients {
		all.Go(func() {
			for n := range rounds {
				odd(5 + client*rounds + n)
			}
		})
	}
	all.Wait()
	more := series() - before
	t.Logf("%d series before, %d more after %d odd requests", before, more, 10*clients*rounds)
	if more > 50 {
		t.Errorf("%d more series than the %d before", more, before)
	}
	drill.MetricSeries.Count("series more", more)
	drill.MetricSeries.Count("odd requests", 10*clients*rounds)
}

// TestGeneratedNames creates books from many clients that all ask for a name with one prefix. Each
// gets one of its own, of which nobody else was told.
func TestGeneratedNames(t *testing.T) {
	s := start(t, t.TempDir())
	const clients, each = 16, 40
	var mu sync.Mutex // guards given and twice
	given, twice := map[string]bool{}, 0
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for n := range each {
				dry := ""
				if n%8 == 7 {
					dry = "?dryRun=All"
				}
				code, body, err := s.do(http.MethodPost, books+dry, "application/json", []byte(`{"metadata":{"generateName":"book-"},"spec":{"title":"T"}}`))
				if err != nil || code != http.StatusCreated {
					t.Errorf("create: %d %s %v", code, body, err)
					return
				}
				if dry != "" {
					continue
				}
				name := nameOf(t, body)
				mu.Lock()
				if given[name] {
					twice++
					t.Errorf("two books are called %s", name)
				}
				given[name] = true
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if stored := names(t, s); len(stored) != len(given) {
		t.Errorf("%d books are stored, %d were acknowledged", len(stored), len(given))
	}
	drill.Races.Count("names generated", len(given))
	drill.Races.Count("names given twice", twice)
}

// nameOf is the name of an object.
func nameOf(t *testing.T, object []byte) string {
	t.Helper()
	var o watched
	if err := json.Unmarshal(object, &o); err != nil {
		t.Error(err)
	}
	return o.Metadata.Name
}
