package policy

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/policy/expression"
)

// enforcer knows the policies that hold. Its methods may be called from any goroutine.
type enforcer struct {
	reader reader
	// authorizer is that of the server.
	authorizer auth.Authorizer
	log        *slog.Logger

	mu       sync.Mutex // guards what follows
	policies []*admissionregistrationv1.ValidatingAdmissionPolicy
	bindings []*admissionregistrationv1.ValidatingAdmissionPolicyBinding
	// seen says which of the two have been told.
	seenPolicies, seenBindings bool
	compiled                   map[generation]*policy

	active atomic.Pointer[[]*bound]
	known  chan struct{}
	once   sync.Once
}

// generation is a policy as long as its spec stays the same.
type generation struct {
	uid    types.UID
	number int64
}

// policy is a policy that is ready. It is not modified.
type policy struct {
	*admissionregistrationv1.ValidatingAdmissionPolicy
	target
	// expressions are nil if there is a problem.
	expressions *expression.Policy
	problem     error
}

// binding is a binding that is ready. It is not modified.
type binding struct {
	*admissionregistrationv1.ValidatingAdmissionPolicyBinding
	target
}

// bound is a policy with its bindings, of which there is at least one.
type bound struct {
	*policy
	bindings []binding
}

func newEnforcer(r reader, may auth.Authorizer, log *slog.Logger) *enforcer {
	return &enforcer{reader: r, authorizer: may, log: log, known: make(chan struct{})}
}

// setPolicies replaces the policies, which have their defaults and are not modified any more.
func (e *enforcer) setPolicies(all []*admissionregistrationv1.ValidatingAdmissionPolicy) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.policies, e.seenPolicies = all, true
	e.publish()
}

// setBindings is as setPolicies.
func (e *enforcer) setBindings(all []*admissionregistrationv1.ValidatingAdmissionPolicyBinding) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bindings, e.seenBindings = all, true
	e.publish()
}

// publish has requests that begin from now on judged by what is known. A policy is compiled once
// for each generation.
func (e *enforcer) publish() {
	if !e.seenPolicies || !e.seenBindings {
		return
	}
	byPolicy := map[string][]binding{}
	for _, b := range e.bindings {
		byPolicy[b.Spec.PolicyName] = append(byPolicy[b.Spec.PolicyName], binding{b, newTarget(b.Spec.MatchResources)})
	}
	kept, active := map[generation]*policy{}, []*bound{}
	for _, p := range e.policies {
		of := generation{p.UID, p.Generation}
		ready := e.compiled[of]
		if ready == nil {
			ready = e.compile(p)
		}
		kept[of] = ready
		if bindings := byPolicy[p.Name]; len(bindings) > 0 {
			slices.SortFunc(bindings, func(a, b binding) int { return cmp.Compare(a.Name, b.Name) })
			active = append(active, &bound{ready, bindings})
		}
	}
	slices.SortFunc(active, func(a, b *bound) int { return cmp.Compare(a.Name, b.Name) })
	e.compiled = kept
	e.active.Store(&active)
	e.once.Do(func() { close(e.known) })
}

func (e *enforcer) compile(p *admissionregistrationv1.ValidatingAdmissionPolicy) *policy {
	ready := &policy{ValidatingAdmissionPolicy: p, target: newTarget(p.Spec.MatchConstraints)}
	var errs field.ErrorList
	if ready.expressions, errs = expression.Compile(&p.Spec, field.NewPath("spec")); len(errs) > 0 {
		ready.expressions, ready.problem = nil, errs.ToAggregate()
		e.log.Error("an admission policy can't be compiled", "policy", p.Name, "error", ready.problem)
	}
	return ready
}

var errUnknown = errors.New("the admission policies are not known yet")

// ready is an error until both kinds are known.
func (e *enforcer) ready(context.Context) error {
	if e.active.Load() == nil {
		return errUnknown
	}
	return nil
}

// wants says whether a policy has a rule for the request. As long as none are known, they may have.
func (e *enforcer) wants(r *admission.Request) bool {
	if match.Exempt(r) {
		return false
	}
	active := e.active.Load()
	return active == nil || slices.ContainsFunc(*active, func(b *bound) bool {
		_, ok := b.version(r)
		return ok
	})
}

// patience is how long a write waits until the policies are known.
const patience = 10 * time.Second

// current returns the policies that hold. What the server writes by itself does not wait for them:
// some of it has to be there before they can be read.
func (e *enforcer) current(ctx context.Context, r *admission.Request) ([]*bound, error) {
	if active := e.active.Load(); active != nil {
		return *active, nil
	}
	if auth.UserFrom(ctx) == nil {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	select {
	case <-e.known:
		return *e.active.Load(), nil
	case <-ctx.Done():
		return nil, apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, errUnknown)
	}
}
