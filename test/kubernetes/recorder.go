package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

// recorder is a client that asks for little things beside a workload, one after the other, and
// notes how long each takes.
type recorder struct {
	mu     sync.Mutex // guards took and failed
	took   map[string][]time.Duration
	failed int
}

// The client asks this often. Each listsEvery-th time it lists all pods, too.
const (
	asksEvery  = 50 * time.Millisecond
	listsEvery = 20
)

// asked are the verbs, in the order in which they are printed.
var asked = []string{"get", "list", "create", "update", "patch", "delete"}

// run asks until ctx ends.
func (r *recorder) run(ctx context.Context, a *api) {
	const path = "/api/v1/namespaces/default/configmaps"
	body := func(n int) string {
		return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"beside"},"data":{"n":"%d"}}`, n)
	}
	tick := time.NewTicker(asksEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if n%listsEvery == listsEvery-1 {
			r.time(ctx, a, "list", http.MethodGet, podsPath, "")
		}
		switch n % 5 {
		case 0:
			r.time(ctx, a, "create", http.MethodPost, path, body(n))
		case 1:
			r.time(ctx, a, "update", http.MethodPut, path+"/beside", body(n))
		case 2:
			r.time(ctx, a, "patch", http.MethodPatch, path+"/beside", `{"data":{"patched":"yes"}}`)
		case 3:
			r.time(ctx, a, "get", http.MethodGet, path+"/beside", "")
		case 4:
			r.time(ctx, a, "delete", http.MethodDelete, path+"/beside", "")
		}
	}
}

func (r *recorder) time(ctx context.Context, a *api, verb, method, path, in string) {
	begun := time.Now()
	err := a.do(ctx, method, path, in, nil)
	if ctx.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.failed++
		return
	}
	r.took[verb] = append(r.took[verb], time.Since(begun))
}

// quantile is the time within which a part of the requests with a verb were answered.
func (r *recorder) quantile(verb string, part float64) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.took[verb]
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(part*float64(len(all))))]
}
