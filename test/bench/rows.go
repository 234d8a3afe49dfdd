package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"

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
	// do is the step; a row that only reads has a read instead.
	do   step
	read *read
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
	// scans says that the peer looks at every pod for it, so that it takes time by their number.
	scans bool
	// alone says that only ours can do it.
	alone  bool
	budget budget
}

// budget is what a row should cost at most, in proportion to what another server takes for it in
// the same run, or ours for another row. The zero value is none.
type budget struct {
	times float64
	than  string
}

func rows() []row {
	return []row{
		{name: "get, linearizable, protobuf", count: 8000, short: 300, workers: 8, read: get("", protobuf), budget: budget{2.07, nameReady}, grows: true},
		{name: "get, resourceVersion=0, protobuf", count: 8000, short: 300, workers: 8, read: get("?resourceVersion=0", protobuf), budget: budget{1.5, nameReady}, grows: true},
		{name: "get, linearizable, JSON", count: 6000, short: 300, workers: 8, read: get("", asJSON), budget: budget{2.07, nameReady}},
		{name: "list all, protobuf", count: 4, short: 3, workers: 1, read: listAll(everywhere, protobuf, ""), budget: budget{1.2, nameReady}, grows: true},
		{name: listedAsJSON, count: 4, short: 2, workers: 1, read: listAll(everywhere, asJSON, ""), budget: budget{1.6, nameReady}, grows: true},
		{name: "list all in a version that is not stored, JSON", count: 2, short: 2, workers: 1, read: listAll(inOlder, asJSON, ""), budget: budget{3, listedAsJSON}, grows: true, alone: true},
		{name: "list all, JSON, gzip", count: 2, short: 2, workers: 1, read: listAll(everywhere, asJSON, gzipCoding), budget: budget{150. / 673, namePeer}, grows: true},
		{name: "list all, JSON, zstd", count: 2, short: 2, workers: 1, read: listAll(everywhere, asJSON, zstdCoding), grows: true, alone: true},
		{name: "list all as a Table", count: 4, short: 2, workers: 1, read: listAll(everywhere, asTable, ""), budget: budget{60. / 739, namePeer}, grows: true},
		{name: "list one namespace of 100, protobuf", count: 300, short: 30, workers: 4, read: listNamespace(protobuf), budget: budget{1.2, nameReady}, grows: true},
		{name: "list one namespace of 100, JSON", count: 300, short: 20, workers: 4, read: listNamespace(asJSON), budget: budget{1.6, nameReady}, grows: true},
		{name: "a page of 500, protobuf", count: 60, short: 10, workers: 2, read: page(500, protobuf), budget: budget{1.2, nameReady}, grows: true},
		{name: "a page of 500, JSON", count: 60, short: 8, workers: 2, read: page(500, asJSON), budget: budget{1.6, nameReady}, grows: true},
		{name: "list by label, 10 of all, protobuf", count: 1500, short: 50, workers: 4, read: selected(pods.PerBatch, byLabel), budget: budget{0.15 / 4.9, namePeer}, grows: true, scans: true},
		{name: "list by field, 20 of all, protobuf", count: 1500, short: 50, workers: 4, read: selected(pods.PerNode, byField), budget: budget{0.15 / 5.1, namePeer}, grows: true, scans: true},
		{name: "create, protobuf", count: 1000, short: 100, workers: 8, do: create(protobuf), budget: budget{0.2, namePeer}, writes: true, grows: true},
		{name: "create, JSON", count: 1000, short: 100, workers: 8, do: create(asJSON), budget: budget{0.2, namePeer}, writes: true},
		{name: updated, count: 1000, short: 100, workers: 8, do: update, budget: budget{0.2, namePeer}, writes: true, owned: true, grows: true},
		{name: "merge patch", count: 1000, short: 100, workers: 8, do: patch, budget: budget{0.2, namePeer}, writes: true, owned: true, grows: true},
		{name: "apply, changed", count: 1000, short: 100, workers: 8, do: apply(true), prepare: applyOnce, budget: budget{1.5, updated}, writes: true, owned: true},
		{name: "apply, no change", count: 1000, short: 100, workers: 8, do: apply(false), prepare: applyOnce, budget: budget{1.5, updated}, owned: true},
		{name: "delete", count: 1500, short: 150, workers: 8, do: remove, prepare: provide, budget: budget{0.2, namePeer}, writes: true},
		deliveries(200, protobufWatch, 60, 10).growing().atMost(1.3, nameReady),
		deliveries(200, asJSON, 60, 10).atMost(1.3, nameReady),
	}
}

// Rows that others are compared with.
const (
	listedAsJSON = "list all, JSON"
	updated      = "update, protobuf"
)

// growing says that the row is one of those that are done over different numbers of pods.
func (r row) growing() row {
	r.grows = true
	return r
}

func (r row) atMost(times float64, than string) row {
	r.budget = budget{times, than}
	return r
}

// begin returns the step of a row, and what to call behind the last one.
func (r row) begin(ctx context.Context, t *target) (step, func(), error) {
	switch {
	case r.open != nil:
		return r.open(ctx, t)
	case r.read != nil:
		return r.read.do, func() {}, nil
	}
	return r.do, func() {}, nil
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

// concerns says whether a server is asked to do the row: ready bytes can only be read.
func (r row) concerns(t *target) bool {
	switch t.name {
	case nameReady:
		return r.read != nil || r.open != nil
	case namePeer:
		return !r.alone
	}
	return true
}

// missing says why a server can't do a row at all: it has no such verb.
func missing(err error) (reason string, ok bool) {
	var status *statusError
	if errors.As(err, &status) && status.code == http.StatusMethodNotAllowed {
		return "405 Method Not Allowed", true
	}
	return "", false
}
