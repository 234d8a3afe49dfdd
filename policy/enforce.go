package policy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/internal/recovery"
	"github.com/typeplane/typeplane/policy/expression"
)

// enforcer knows the policies of one kind that hold. Its methods may be called from any goroutine.
type enforcer struct {
	reader reader
	// authorizer is that of the server.
	authorizer auth.Authorizer
	log        *slog.Logger

	mu       sync.Mutex // guards what follows
	policies []source
	bindings []binding
	// seen says which of the two have been told.
	seenPolicies, seenBindings bool
	compiled                   map[generation]*policy

	active atomic.Pointer[[]*bound]
	known  chan struct{}
	once   sync.Once
	// changed has one element when conditions may be missing.
	changed chan struct{}
}

// generation is a policy as long as its spec stays the same.
type generation struct {
	uid    types.UID
	number int64
}

// source is a policy of either kind as it is stored, with its defaults. It is not modified.
type source struct {
	generation
	name        string
	params      *admissionregistrationv1.ParamKind
	failure     *admissionregistrationv1.FailurePolicyType
	constraints *admissionregistrationv1.MatchResources
	compile     func(*field.Path) (*expression.Policy, field.ErrorList)
	// again says that what mutates may do so twice.
	again bool
	// conditions are those of a policy that validates, when it was read.
	conditions []metav1.Condition
}

// policy is a policy that is ready. It is not modified.
type policy struct {
	source
	target
	// expressions are nil if there is a problem.
	expressions *expression.Policy
	problem     error
}

// binding is a binding that is ready. It is not modified.
type binding struct {
	name, policy string
	params       *admissionregistrationv1.ParamRef
	// actions are those of a policy that validates.
	actions []admissionregistrationv1.ValidationAction
	target
}

// bound is a policy with its bindings, of which there is at least one.
type bound struct {
	*policy
	bindings []binding
}

func newEnforcer(r reader, may auth.Authorizer, log *slog.Logger) *enforcer {
	return &enforcer{reader: r, authorizer: may, log: log, known: make(chan struct{}), changed: make(chan struct{}, 1)}
}

// setPolicies replaces the policies.
func (e *enforcer) setPolicies(all []source) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.policies, e.seenPolicies = all, true
	e.publish()
}

// setBindings replaces the bindings.
func (e *enforcer) setBindings(all []binding) {
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
		byPolicy[b.policy] = append(byPolicy[b.policy], b)
	}
	kept, active := map[generation]*policy{}, []*bound{}
	for _, p := range e.policies {
		ready := e.compiled[p.generation]
		if ready == nil {
			ready = e.compile(p)
		}
		kept[p.generation] = ready
		if bindings := byPolicy[p.name]; len(bindings) > 0 {
			slices.SortFunc(bindings, func(a, b binding) int { return cmp.Compare(a.name, b.name) })
			active = append(active, &bound{ready, bindings})
		}
	}
	slices.SortFunc(active, func(a, b *bound) int { return cmp.Compare(a.name, b.name) })
	e.compiled = kept
	e.active.Store(&active)
	e.once.Do(func() { close(e.known) })
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// compile compiles a policy. One that can't be compiled has a problem, so its failure policy
// decides.
func (e *enforcer) compile(p source) *policy {
	ready := &policy{source: p, target: newTarget(p.constraints)}
	ready.problem = recovery.Call(e.log, "policies", p.name, func() error {
		compiled, errs := p.compile(field.NewPath("spec"))
		ready.expressions = compiled
		return errs.ToAggregate()
	})
	if ready.problem != nil {
		ready.expressions = nil
		e.log.Error("an admission policy can't be compiled", "policy", p.name, "error", ready.problem)
	}
	return ready
}

// ignores says whether what can't be evaluated counts as if it was not there.
func (p *policy) ignores() bool {
	return p.failure != nil && *p.failure == admissionregistrationv1.Ignore
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

// paramsOf are the parameters by which a binding has a policy judge a request, in a version: one
// nil if it has none. There are none if the binding is about something else.
func (e *enforcer) paramsOf(ctx context.Context, p *bound, b *binding, r *admission.Request) ([]any, error) {
	_, ok, err := b.matches(ctx, r, e.reader.labels)
	if err == nil && !ok {
		return nil, nil
	}
	var params []any
	if err == nil {
		params, err = e.reader.params(ctx, p.params, b.params, match.Namespace(r))
	}
	if err != nil {
		return nil, fmt.Errorf("failed to configure binding: %w", err)
	}
	return params, nil
}

// denial is the refusal of a request.
func denial(r *admission.Request, message string, reason metav1.StatusReason) error {
	err := admission.Forbidden(r, errors.New(message))
	err.ErrStatus.Reason, err.ErrStatus.Code = reason, codeOf(reason)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Message: message})
	return err
}

func codeOf(reason metav1.StatusReason) int32 {
	switch reason {
	case metav1.StatusReasonForbidden:
		return http.StatusForbidden
	case metav1.StatusReasonUnauthorized:
		return http.StatusUnauthorized
	case metav1.StatusReasonRequestEntityTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}
