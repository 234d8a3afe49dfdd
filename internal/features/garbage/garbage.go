// Package garbage removes objects that nobody wants any more: those whose owners are gone,
// those that end by themselves, and those whose time of grace has passed.
//
// It follows the metadata of all resources and keeps, in graph.go, who owns whom. A change puts
// objects into a queue (queue.go). Workers judge them by what is stored at that moment (judge.go).
// An owner counts as gone only when a read of the database has said so (owners.go). A deletion
// leaves in finalizers what it wants for the dependents, and finalizers.go does that. All there is
// to know is in the store, so that a server that was stopped in the middle goes on.
//
// The rules are those of Kubernetes' garbage collector. Start reading at API. The package never
// touches an object that has no owners, does not end by itself and is not being deleted.
package garbage

import (
	"context"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/server/metrics"
)

// API returns the collector for a server that asks for it. One of the servers that share their
// objects runs it.
func API() typeplane.API { return typeplane.API{Collects: true, Extend: extend} }

func extend(_ context.Context, h *typeplane.Host) error {
	owners := h.Options.Store.GarbageCollector == typeplane.CollectInServer
	numbers := metrics.NewGarbage(h.Metrics)
	h.Alone("typeplane-control", func(ctx context.Context) {
		newCollector(h.Served(), owners, numbers, h.Log).run(ctx)
	})
	return nil
}
