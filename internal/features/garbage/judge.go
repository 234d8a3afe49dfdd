package garbage

import (
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/registry/rest"
	"github.com/typeplane/typeplane/runtime/wire"
)

// judge does what has to be done about one object at this moment. It reads the object from memory,
// and whatever it writes is refused when the object is another one by then.
func (c *collector) judge(ctx context.Context, it item) error {
	k := c.kinds[it.kind]
	if !it.flags.has(seen) || it.name.Name == "" {
		return nil
	}
	meta, found, err := k.get(ctx, it.name, false)
	if err != nil || !found || uidOf(meta.UID) != it.id {
		return err // of one that is gone, the graph will be told
	}
	switch {
	case meta.Deleting && !c.owners:
		return nil
	case meta.Deleting && hasFinalizer(&meta, metav1.FinalizerOrphanDependents):
		return c.orphanDependents(ctx, it, &meta)
	case meta.Deleting && hasFinalizer(&meta, metav1.FinalizerDeleteDependents):
		return c.awaitDependents(ctx, it, &meta)
	case meta.Deleting && !meta.HasFinalizers():
		return c.endGrace(ctx, it, &meta)
	case meta.Deleting:
		return nil
	}
	over, err := c.isOver(ctx, it)
	if err != nil {
		return err
	}
	if over {
		return c.delete(ctx, it, &meta, metav1.DeletePropagationBackground)
	}
	if !c.owners {
		return nil
	}
	o, err := c.ownersOf(ctx, it, &meta)
	if errors.Is(err, errUnverifiable) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.act(ctx, it, &meta, o)
}

// isOver says whether the time of an object that ends by itself is over, and has it judged again
// when it will be.
func (c *collector) isOver(ctx context.Context, it item) (bool, error) {
	k := c.kinds[it.kind]
	if k.Ends == nil {
		return false, nil
	}
	view, err := k.Get.Get(ctx, it.name, reader.Options(false))
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	at, ends, err := k.Ends(view)
	if err != nil || !ends {
		return false, err
	}
	if time.Now().Before(at) {
		c.graph.later(it.node, at)
		return false, nil
	}
	return true, nil
}

// act does what the state of its owners asks for.
func (c *collector) act(ctx context.Context, it item, meta *wire.Meta, o owners) error {
	switch {
	case len(o.gone)+len(o.waiting) == 0:
		return nil
	case len(o.solid) > 0:
		return c.disown(ctx, it, meta, slices.Concat(o.gone, o.waiting))
	case len(o.waiting) > 0:
		return c.deleteBelow(ctx, it, meta)
	case hasFinalizer(meta, metav1.FinalizerOrphanDependents):
		return c.delete(ctx, it, meta, metav1.DeletePropagationOrphan)
	case hasFinalizer(meta, metav1.FinalizerDeleteDependents):
		return c.delete(ctx, it, meta, metav1.DeletePropagationForeground)
	}
	return c.delete(ctx, it, meta, metav1.DeletePropagationBackground)
}

// deleteBelow deletes an object whose owner waits for it: after what it owns itself. In a circle
// everybody would wait for somebody else. So an object with a dependent that waits, too, holds up
// nobody any more.
func (c *collector) deleteBelow(ctx context.Context, it item, meta *wire.Meta) error {
	below := c.graph.dependents(it.node, false)
	if len(below) == 0 {
		return c.delete(ctx, it, meta, metav1.DeletePropagationBackground)
	}
	if c.graph.anyInForeground(below) && blocksSomebody(meta) {
		return c.unblock(ctx, it, meta) // its event has it judged again
	}
	return c.delete(ctx, it, meta, metav1.DeletePropagationForeground)
}

func blocksSomebody(meta *wire.Meta) bool {
	for ref := range meta.OwnerReferences() {
		if ref.BlockOwnerDeletion {
			return true
		}
	}
	return false
}

// delete deletes an object as it was seen.
func (c *collector) delete(ctx context.Context, it item, meta *wire.Meta, policy metav1.DeletionPropagation) error {
	err := c.deleteWith(ctx, it, meta, metav1.DeleteOptions{PropagationPolicy: &policy})
	if err == nil {
		k := c.kinds[it.kind]
		c.metrics.Collected.WithLabelValues(k.GroupVersion.Group, k.Name).Inc()
	}
	return err
}

func (c *collector) deleteWith(ctx context.Context, it item, meta *wire.Meta, opts metav1.DeleteOptions) error {
	id := types.UID(meta.UID)
	opts.Preconditions = &metav1.Preconditions{UID: &id, ResourceVersion: &meta.ResourceVersion}
	k := c.kinds[it.kind]
	_, err := k.Delete.Delete(ctx, new(rest.Request), it.name, opts)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case apierrors.IsConflict(err):
		return errChanged
	}
	return err
}

// endGrace removes an object that was deleted with a time of grace which is over.
func (c *collector) endGrace(ctx context.Context, it item, meta *wire.Meta) error {
	if until := time.Unix(meta.DeletionSeconds, 0); time.Now().Before(until) {
		c.graph.later(it.node, until)
		return nil
	}
	none := int64(0)
	return c.deleteWith(ctx, it, meta, metav1.DeleteOptions{GracePeriodSeconds: &none})
}
