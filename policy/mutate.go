package policy

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/webhook/rounds"
	"github.com/typeplane/typeplane/policy/expression"
	"github.com/typeplane/typeplane/runtime/jsonpatch"
)

// invocation is one policy, by one binding and one parameter.
type invocation struct {
	policy, binding string
	param           types.NamespacedName
}

// change is what the policies make of the object of a request in one round. It is for one
// goroutine.
type change struct {
	*enforcer
	*inputs
	rounds *rounds.Rounds[invocation]
	// refused is the first refusal.
	refused error
}

// mutate has all policies change the object of a request, in the order of their names: each sees
// what the one before has made. In a second round those may do so once more that allow it, if
// somebody else has made a change since.
func (e *enforcer) mutate(ctx context.Context, r *admission.Request) error {
	if r.Object == nil {
		return nil // an object that goes can't be changed
	}
	active, err := e.current(ctx, r)
	if err != nil {
		return err
	}
	s := rounds.New[invocation]()
	r.Second(func(ctx context.Context, r *admission.Request) error {
		if due, err := s.Second(r); err != nil {
			return apierrors.NewInternalError(err)
		} else if !due {
			return nil
		}
		return e.each(ctx, r, active, s)
	})
	return e.each(ctx, r, active, s)
}

// each is one round.
func (e *enforcer) each(ctx context.Context, r *admission.Request, active []*bound, s *rounds.Rounds[invocation]) error {
	c := &change{enforcer: e, inputs: newInputs(e, r), rounds: s}
	for _, p := range active {
		if err := c.by(ctx, p); err != nil {
			return err
		}
	}
	if c.refused != nil {
		return c.refused
	}
	if err := s.End(r); err != nil {
		return apierrors.NewInternalError(err)
	}
	return nil
}

// by has one policy change the object, once for each binding and parameter. The error is one of the
// server.
func (c *change) by(ctx context.Context, p *bound) error {
	version, ok, err := p.matches(ctx, c.r, c.reader.labels)
	if err == nil && ok {
		err = p.problem
	}
	if err != nil {
		c.misfit(p, nil, fmt.Errorf("failed to configure policy: %w", err), metav1.StatusReasonForbidden)
		return nil
	}
	if !ok {
		return nil
	}
	for i := range p.bindings {
		b := &p.bindings[i]
		params, err := c.paramsOf(ctx, p, b, c.r)
		if err != nil {
			c.misfit(p, b, err, metav1.StatusReasonForbidden)
			continue
		}
		for _, param := range params {
			if err := c.once(ctx, version, p, b, param); err != nil {
				return err
			}
		}
	}
	return nil
}

// once has a policy change the object by one parameter.
func (c *change) once(ctx context.Context, version admission.Version, p *bound, b *binding, param any) error {
	who := invocation{p.name, b.name, nameOf(param)}
	if !c.rounds.Wants(who) {
		return nil
	}
	in, err := c.input(ctx, version)
	if err != nil {
		return err
	}
	changed := false
	errs := p.expressions.Mutate(ctx, in.With(param), func(wanted expression.Change) (*expression.Input, error) {
		one, err := c.carryOut(version, wanted)
		if err != nil {
			return nil, err
		}
		changed = changed || one
		next, err := c.input(ctx, version)
		if err != nil {
			return nil, err
		}
		return next.With(param), nil
	})
	c.rounds.Asked(c.r, who, p.again, changed)
	for _, err := range errs {
		c.misfit(p, b, err, metav1.StatusReasonInvalid)
	}
	return nil
}

// nameOf names a parameter.
func nameOf(param any) (name types.NamespacedName) {
	object, _ := param.(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	name.Namespace, _ = metadata["namespace"].(string)
	name.Name, _ = metadata["name"].(string)
	return name
}

// carryOut makes the object of the request what a mutation says, and says whether that is another
// one. A JSON patch whose test fails changes nothing.
func (c *change) carryOut(version admission.Version, wanted expression.Change) (changed bool, err error) {
	if c.r.Codec == nil {
		return false, fmt.Errorf("the options of a %s can't be changed", c.r.Operation)
	}
	before, err := c.question.Object(version)
	if err != nil {
		return false, err
	}
	if wanted.Patch == nil {
		after, err := c.r.Codec.Merge(before, wanted.Applied, version)
		if err != nil {
			return false, fmt.Errorf("error applying patch: %w", err)
		}
		return c.replace(version, after)
	}
	patch, _, err := jsonpatch.Parse(wanted.Patch)
	if err != nil {
		return false, fmt.Errorf("JSON Patch: %w", err)
	}
	after, err := patch.Apply(before)
	switch {
	case errors.Is(err, jsonpatch.ErrTestFailed):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("JSON Patch: %w", err)
	}
	return c.replace(version, after)
}

// misfit is for a policy that can't be asked or carried out, by a binding or at all. The words are
// those of Kubernetes.
func (c *change) misfit(p *bound, b *binding, err error, reason metav1.StatusReason) {
	if p.ignores() || c.refused != nil {
		return
	}
	message := fmt.Sprintf("policy %q denied request: %v", p.name, err)
	if b != nil {
		message = fmt.Sprintf("policy '%s' with binding '%s' denied request: %v", p.name, b.name, err)
	}
	c.refused = denial(c.r, message, reason)
}
