package policy

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/internal/wait"
	"github.com/typeplane/typeplane/registry/rest"
)

// compiled is the condition of a ValidatingAdmissionPolicy that could not be compiled. It is True
// again once a later generation could.
const compiled = "Compiled"

// retryReport is the pause after a condition could not be written.
const retryReport = time.Second

// reporter writes the condition compiled of ValidatingAdmissionPolicies. Every server does that, at
// most once for each generation of a policy, so servers of two releases never undo each other's
// writes. A MutatingAdmissionPolicy has no status: only the log and the metric report it.
type reporter struct {
	enforcer         *enforcer
	policies, status *rest.Resource
}

// run writes conditions until ctx ends.
func (r *reporter) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.enforcer.changed:
		}
		for ctx.Err() == nil {
			err := r.all(ctx)
			if err == nil {
				break
			}
			r.enforcer.log.Warn("write the conditions of admission policies; it is tried again", "error", err)
			_ = wait.Sleep(ctx, retryReport)
		}
	}
}

// all writes the conditions that are missing.
func (r *reporter) all(ctx context.Context) error {
	var errs []error
	for _, p := range r.enforcer.unreported() {
		if err := r.one(ctx, p); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.name, err))
		}
	}
	return errors.Join(errs...)
}

// one writes the condition of a policy. If the policy has changed meanwhile, it comes again.
func (r *reporter) one(ctx context.Context, p *policy) error {
	at := rest.Name{Name: p.name}
	view, err := r.policies.Get.Get(ctx, at, metav1.GetOptions{})
	current := new(admissionregistrationv1.ValidatingAdmissionPolicy)
	if err == nil {
		err = rest.Read(view, current)
	}
	if apierrors.IsNotFound(err) || err == nil && (generation{current.UID, current.Generation}) != p.generation {
		return nil
	}
	if err != nil {
		return err
	}
	meta.SetStatusCondition(&current.Status.Conditions, conditionOf(p))
	_, _, err = r.status.Update.Update(ctx, new(rest.Request), at, current, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// conditionOf returns the condition of a policy.
func conditionOf(p *policy) metav1.Condition {
	c := metav1.Condition{Type: compiled, Status: metav1.ConditionTrue, Reason: "Compiled", ObservedGeneration: p.number}
	if p.problem != nil {
		c.Status, c.Reason = metav1.ConditionFalse, "NotCompiled"
		c.Message = fmt.Sprintf("The failure policy decides, because the policy can't be compiled: %.1000s", p.problem)
	}
	return c
}

// unreported returns the policies whose condition is missing: those with a problem, and those with
// the condition of an earlier generation.
func (e *enforcer) unreported() (all []*policy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, p := range e.policies {
		ready := e.compiled[p.generation]
		i := slices.IndexFunc(p.conditions, func(c metav1.Condition) bool { return c.Type == compiled })
		switch {
		case ready == nil, i < 0 && ready.problem == nil, i >= 0 && p.conditions[i].ObservedGeneration >= p.number:
		default:
			all = append(all, ready)
		}
	}
	return all
}
