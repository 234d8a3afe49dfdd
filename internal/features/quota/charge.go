package quota

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/storage"
)

// charge returns what is written with an object: the quotas as they will be, and what must be so
// that nothing was overlooked.
func (q *quotas) charge(ctx context.Context, r *admission.Request) ([]storage.Op, error) {
	k := q.kinds[r.Resource.GroupResource()]
	c := k.change(r)
	switch {
	case k.ofQuotas() && r.Operation != admission.Delete:
		return q.count(ctx, r, c)
	case c.nothing():
		return nil, nil
	case r.DryRun:
		return nil, q.try(ctx, r.Namespace, c)
	}

	// Which quotas are there? The gate says whether what we have in memory is all.
	again := r.Attempt.Again() || k.ofQuotas()
	at, err := q.gates.look(ctx, r.Namespace, again)
	if err != nil {
		return nil, err
	}
	var known []quota
	if at.there() {
		if known, err = q.since(ctx, at, r.Namespace, again); err != nil {
			return nil, err
		}
	}
	if !at.closed && !concerned(known, c) {
		return []storage.Op{q.passage(at, known, c)}, nil
	}

	// Some are concerned, or are being counted. One after the other; each decides on what the last
	// one left.
	leave, err := q.queue.enter(ctx, r.Namespace)
	if err != nil {
		return nil, err
	}
	r.Attempt.Then(func(bool) { leave() })
	if at, err = q.gates.pass(ctx, r.Namespace, again); err != nil {
		return nil, err
	}
	if known, err = q.since(ctx, at, r.Namespace, true); err != nil {
		return nil, err
	}
	ops, err := q.due(known, c)
	if err != nil {
		return nil, err
	}
	return append(ops, q.passage(at, known, c)), nil
}

// since returns the quotas that there are, given that the gate has not moved since at. If sure is
// set they are the newest ones, else what is at hand, which must have seen the gate.
func (q *quotas) since(ctx context.Context, at gate, namespace string, sure bool) ([]quota, error) {
	opts := storage.ListOptions{Match: storage.NotOlderThan, Revision: at.revision}
	if sure {
		opts = storage.ListOptions{Match: storage.Latest}
	}
	return q.list(ctx, namespace, opts)
}

// passage is what a write does to the gate: it depends on it; or takes it away, if it takes the
// last quota.
func (q *quotas) passage(at gate, known []quota, c change) storage.Op {
	op := at.expect()
	if c.quota != "" && at.there() && len(known) == 1 && known[0].Name == c.quota {
		op.Act = storage.Remove
	}
	return op
}

// try says whether a write would be refused.
func (q *quotas) try(ctx context.Context, namespace string, c change) error {
	known, err := q.list(ctx, namespace, storage.ListOptions{})
	if err != nil {
		return err
	}
	_, err = q.due(known, c)
	return err
}

// due are the quotas that a change is charged to, as they will be; or why it can't be.
func (q *quotas) due(known []quota, c change) ([]storage.Op, error) {
	var ops []storage.Op
	for _, one := range known {
		if one.Name == c.quota {
			continue
		}
		next, err := one.after(c)
		if err != nil {
			return nil, err
		}
		if next == nil {
			continue
		}
		op, err := q.objects.Replace(next, one.revision)
		if err != nil {
			return nil, err
		}
		ops = append(ops, op)
	}
	return ops, c.demand.covered(known, c.after)
}

// concerned says whether a change has to do with any quota, or needs one.
func concerned(known []quota, c change) bool {
	if !c.demand.none() {
		return true
	}
	for _, one := range known {
		if one.Name == c.quota {
			continue
		}
		if next, err := one.after(c); err != nil || next != nil {
			return true
		}
	}
	return false
}

// count makes the status of a new quota, or of one that is not what it was, exact.
func (q *quotas) count(ctx context.Context, r *admission.Request, c change) ([]storage.Op, error) {
	next, ok := r.Object.(*corev1.ResourceQuota)
	if !ok {
		return nil, nil // of a subresource that is nothing of it
	}
	old, _ := r.Old.(*corev1.ResourceQuota)
	if old != nil && r.Subresource == "" && sameSpec(&next.Spec, &old.Spec) {
		return nil, nil
	}
	if r.DryRun {
		if err := q.try(ctx, r.Namespace, c); err != nil {
			return nil, err
		}
		return nil, q.fill(ctx, next, old == nil, storage.ListOptions{}, func() error { return nil })
	}
	leave, err := q.queue.enter(ctx, r.Namespace)
	if err != nil {
		return nil, err
	}
	r.Attempt.Then(func(bool) { leave() })
	for {
		ops, err := q.countClosed(ctx, r, c, next)
		if !errors.Is(err, errGateLost) {
			return ops, err
		}
	}
}

// countClosed counts behind a closed gate.
func (q *quotas) countClosed(ctx context.Context, r *admission.Request, c change, next *corev1.ResourceQuota) ([]storage.Op, error) {
	closed, err := q.gates.close(ctx, r.Namespace)
	if err != nil {
		return nil, err
	}
	// It is open by then, if the quota was written.
	r.Attempt.Then(func(bool) { closed.leave(ctx) })
	known, err := q.list(ctx, r.Namespace, storage.ListOptions{})
	if err != nil {
		return nil, err
	}
	ops, err := q.due(known, c)
	if err != nil {
		return nil, err
	}
	asOf := storage.ListOptions{Match: storage.NotOlderThan, Revision: closed.revision}
	if err := q.fill(ctx, next, r.Old == nil, asOf, func() error { return closed.alive(ctx) }); err != nil {
		return nil, err
	}
	return append(ops, closed.open()), nil
}
