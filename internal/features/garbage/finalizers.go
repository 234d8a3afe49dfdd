package garbage

import (
	"context"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/runtime/wire"
)

// awaitDependents lets an object go that waits for its dependents, if none blocks it any more. Else
// those are judged, and one that is gone brings it here again. Before it goes, everything that was
// written until then has to be in the graph.
func (c *collector) awaitDependents(ctx context.Context, it item, meta *wire.Meta) error {
	if c.enqueueBlocking(it.node) {
		return nil
	}
	if err := c.seen(ctx); err != nil {
		return err
	}
	if c.enqueueBlocking(it.node) {
		return nil
	}
	return c.takeOff(ctx, it, meta, metav1.FinalizerDeleteDependents)
}

// enqueueBlocking has the dependents judged that keep an object from going, and says whether there
// are any. Those that wait for their own dependents come by themselves.
func (c *collector) enqueueBlocking(n *node) (any bool) {
	blocking := c.graph.dependents(n, true)
	any = len(blocking) > 0
	blocking = slices.DeleteFunc(blocking, func(n *node) bool { return c.graph.item(n).flags.has(foreground) })
	c.graph.enqueueNow(blocking...)
	return any
}

// orphanDependents takes the reference to an object out of all its dependents, and then lets it go.
func (c *collector) orphanDependents(ctx context.Context, it item, meta *wire.Meta) error {
	if err := c.seen(ctx); err != nil {
		return err
	}
	dependents := c.graph.dependents(it.node, false)
	errs := make(chan error, len(dependents))
	slots := make(chan struct{}, workers)
	var all sync.WaitGroup
	for _, n := range dependents {
		slots <- struct{}{}
		all.Go(func() {
			errs <- recovery.Call(c.log, "garbage", it.name.Name, func() error { return c.orphanOne(ctx, c.graph.item(n), meta.UID) })
			<-slots
		})
	}
	all.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return c.takeOff(ctx, it, meta, metav1.FinalizerOrphanDependents)
}

func (c *collector) orphanOne(ctx context.Context, it item, owner string) error {
	meta, found, err := c.kinds[it.kind].get(ctx, it.name, false)
	if err != nil || !found || uidOf(meta.UID) != it.id {
		return err
	}
	for ref := range meta.OwnerReferences() {
		if ref.UID == owner {
			return c.disown(ctx, it, &meta, []string{owner})
		}
	}
	return nil
}
