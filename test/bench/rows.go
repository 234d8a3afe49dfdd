package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/typeplane/typeplane/test/bench/pods"
)

// step does the work of a row once. i is a number that no other call has in the same round. It
// fails if the answer is not the whole and the right one.
type step func(ctx context.Context, t *target, i int) error

// row is one line of the table: work that a server is asked to do a number of times.
type row struct {
	name string
	// count is how many times in one round, in a full and in a short run.
	count, short int
	// workers is how many requests are under way at once.
	workers int
	do      step
	// open takes the place of do where something has to be there before and behind all steps.
	open func(ctx context.Context, t *target) (do step, stop func(), err error)
	// prepare, if it is set, makes what count steps will use up.
	prepare func(ctx context.Context, t *target, count int) error
	// units is how many of what the name says a step does; 0 means 1.
	units int
	// writes says that the row writes through the server.
	writes bool
	// owned says that each step needs a pod of its own of those that the target has loaded.
	owned bool
	// grows says that the row is also done over more and fewer pods.
	grows bool
	// budget is for 10,000 pods.
	budget budget
}

// budget is what the row should cost at most, and what it cost the peer on the machine where that
// was decided: machines differ, so the ratio is the goal. The zero value is none.
type budget struct{ peer, most time.Duration }

func rows() []row {
	us, ms := time.Microsecond, time.Millisecond
	return []row{
		{name: "get, linearizable, protobuf", count: 8000, short: 300, workers: 8, do: get("", protobuf), budget: budget{447 * us, 80 * us}, grows: true},
		{name: "get, resourceVersion=0, protobuf", count: 8000, short: 300, workers: 8, do: get("?resourceVersion=0", protobuf), budget: budget{206 * us, 50 * us}, grows: true},
		{name: "get, linearizable, JSON", count: 6000, short: 300, workers: 8, do: get("", asJSON)},
		{name: "list all, protobuf", count: 4, short: 3, workers: 1, do: list("", protobuf, all), budget: budget{330 * ms, 60 * ms}, grows: true},
		{name: "list all, JSON", count: 2, short: 2, workers: 1, do: list("", asJSON, all), budget: budget{670 * ms, 80 * ms}},
		{name: "list all, JSON, gzipped", count: 2, short: 2, workers: 1, do: listGzipped, budget: budget{493 * ms, 100 * ms}},
		{name: "list all as a Table", count: 2, short: 2, workers: 1, do: list("", asTable, all), budget: budget{571 * ms, 100 * ms}},
		{name: "list one namespace of 100, protobuf", count: 300, short: 30, workers: 4, do: listNamespace(protobuf), budget: budget{3100 * us, 750 * us}, grows: true},
		{name: "list one namespace of 100, JSON", count: 150, short: 20, workers: 4, do: listNamespace(asJSON), budget: budget{7 * ms, 1 * ms}},
		{name: "a page of 500, protobuf", count: 60, short: 10, workers: 2, do: list("?limit=500", protobuf, func(*target) int { return 500 }), budget: budget{14 * ms, 3 * ms}, grows: true},
		{name: "a page of 500, JSON", count: 30, short: 8, workers: 2, do: list("?limit=500", asJSON, func(*target) int { return 500 }), budget: budget{31 * ms, 4500 * us}},
		{name: "list by label, 10 of all, protobuf", count: 1500, short: 50, workers: 4, do: selected(pods.PerBatch, byLabel), budget: budget{3800 * us, 150 * us}, grows: true},
		{name: "list by field, 20 of all, protobuf", count: 1500, short: 50, workers: 4, do: selected(pods.PerNode, byField), budget: budget{3800 * us, 150 * us}, grows: true},
		{name: "create, protobuf", count: 1000, short: 100, workers: 8, do: create(protobuf), budget: budget{1390 * us, 400 * us}, writes: true, grows: true},
		{name: "create, JSON", count: 1000, short: 100, workers: 8, do: create(asJSON), budget: budget{1550 * us, 450 * us}, writes: true},
		{name: "update, protobuf", count: 1000, short: 100, workers: 8, do: update, budget: budget{1670 * us, 450 * us}, writes: true, owned: true, grows: true},
		{name: "merge patch", count: 1000, short: 100, workers: 8, do: patch, budget: budget{2060 * us, 550 * us}, writes: true, owned: true, grows: true},
		{name: "apply, changed", count: 1000, short: 100, workers: 8, do: apply(true), prepare: applyOnce, budget: budget{4570 * us, 795 * us}, writes: true, owned: true},
		{name: "apply, no change", count: 1000, short: 100, workers: 8, do: apply(false), prepare: applyOnce, budget: budget{4610 * us, 795 * us}, owned: true},
		{name: "delete", count: 1500, short: 150, workers: 8, do: remove, prepare: provide, budget: budget{1040 * us, 350 * us}, writes: true},
		deliveries(200, protobufWatch, 60, 10).growing().most(34*us, 16*us),
		deliveries(200, asJSON, 60, 10),
	}
}

// growing says that the row is one of those that are done over different numbers of pods.
func (r row) growing() row {
	r.grows = true
	return r
}

func (r row) most(peer, ours time.Duration) row {
	r.budget = budget{peer, ours}
	return r
}

// begin returns the step of a row, and what to call behind the last one.
func (r row) begin(ctx context.Context, t *target) (step, func(), error) {
	if r.open == nil {
		return r.do, func() {}, nil
	}
	return r.open(ctx, t)
}

// repeat does a step count times.
func (r row) repeat(ctx context.Context, t *target, do step, count int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range r.workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= count {
					return
				}
				if err := do(ctx, t, i); err != nil {
					cancel(fmt.Errorf("%s: %s: %w", t.name, r.name, err))
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// missing says why a server can't do a row at all: it has no such verb.
func missing(err error) (reason string, ok bool) {
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusMethodNotAllowed {
		return "405 Method Not Allowed", true
	}
	return "", false
}
