package admission

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/storage"
)

// Plugin is a part of admission. A function that is nil has nothing to say. They may be called from
// any goroutine, several times for one write. An error that is neither an API status nor the
// store's becomes a 403 with its text.
type Plugin struct {
	// Name is what flags and messages call it.
	Name string
	// Wants says whether there is anything to say about a request. It is asked before there are an
	// Object and an Old, and again before each step. So it is quick, and looks at neither: they are
	// not read or decoded for a deletion that nobody wants to see. nil: there always is.
	Wants func(*Request) bool
	// Mutate changes the Object before it is judged by anybody. The metadata is as the client sent
	// it. In a second round (Request.Again) it is asked once more, unless it has said what is to be
	// done then (Request.Second).
	Mutate func(context.Context, *Request) error
	// Validate refuses a write, after the rules of the kind. It modifies nothing. The object is
	// complete.
	Validate func(context.Context, *Request) error
	// Transact says what else has to be written with the object, in one transaction, or what the
	// transaction depends on, or that the object can't be written. It is asked last, for each
	// attempt to write. Operation is Delete also for an object that goes because its last finalizer
	// did, and Update for one that Strategy.PrepareForDelete changes. The Object has the defaults
	// of the storage version, if that is the hub. When one of the operations does not find the
	// revision that it expects, Transact is asked again. It gives Request.Attempt what is left to
	// do when the attempt is over, also when that fails. It may set what the server alone says of
	// the Object, like a status. It is asked about a dry run as about any other write, but nothing
	// that it does may last then.
	Transact func(context.Context, *Request) ([]storage.Op, error)
	// OnlyExpects says that Transact returns nothing but storage.Expect. So what a write depends on
	// may be in another etcd than the object (--etcd-servers-overrides). Who changes that and must
	// know of every write before calls Host.Fence.
	OnlyExpects bool
}

// Step is one of the things that plug-ins do, as metrics call it.
type Step string

const (
	StepMutate   Step = "admit"
	StepValidate Step = "validate"
	StepTransact Step = "charge"
)

// Observation says how long a plug-in took for a request, and what came of it. Plugin is "" for all
// of them together.
type Observation struct {
	Plugin    string
	Step      Step
	Operation Operation
	Took      time.Duration
	// Err is why the request was refused, nil if it was not.
	Err error
	// Stack is where the plug-in panicked, nil if it did not.
	Stack []byte
}

// Chain holds the plug-ins of a server. A nil or empty Chain admits everything. Its methods may be
// called from any goroutine.
type Chain struct {
	// Observe is told of every plug-in that was asked, from the goroutine of the request; nil:
	// nobody is. It is set before the Chain is used.
	Observe func(Observation)

	plugins atomic.Pointer[[]Plugin]
}

// Set replaces the plug-ins. Requests that are under way may still see the earlier ones.
func (c *Chain) Set(plugins []Plugin) {
	plugins = slices.Clone(plugins)
	c.plugins.Store(&plugins)
}

func (c *Chain) all() []Plugin {
	if c == nil {
		return nil
	}
	if p := c.plugins.Load(); p != nil {
		return *p
	}
	return nil
}

// wants asks p. One that panics over the question gets to see the request, and answers for it
// there.
func (p *Plugin) wants(r *Request) (wanted bool) {
	if p.Wants == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			wanted = true
		}
	}()
	return p.Wants(r)
}

// Wants says whether some plug-in wants to see a request, to change it, judge it or write with it.
func (c *Chain) Wants(r *Request) bool {
	return slices.ContainsFunc(c.all(), func(p Plugin) bool { return p.wants(r) })
}

// Mutate lets the plug-ins change r.Object, in their order. If one of them has asked for it by
// r.Again, there is a second round, and no third. The first error ends it; it is an API status.
func (c *Chain) Mutate(ctx context.Context, r *Request) error {
	second := map[string]mutation{}
	if err := c.mutate(ctx, r, second); err != nil || !r.Again {
		return err
	}
	return c.mutate(ctx, r, second)
}

// mutate is one round of Mutate. In second it finds, by the name of the plug-in, what was said in
// the round before, and leaves what is said in this one.
func (c *Chain) mutate(ctx context.Context, r *Request, second map[string]mutation) error {
	return c.each(r, StepMutate, func(p *Plugin) func() error {
		mutate := second[p.Name]
		if mutate == nil {
			mutate = p.Mutate
		}
		if mutate == nil {
			return nil
		}
		return func() error {
			r.second = nil
			err := mutate(ctx, r)
			if r.second != nil {
				second[p.Name] = r.second
			}
			return err
		}
	})
}

// Validate asks the plug-ins, in their order. The first error ends it; it is an API status.
func (c *Chain) Validate(ctx context.Context, r *Request) error {
	return c.each(r, StepValidate, func(p *Plugin) func() error {
		if p.Validate == nil {
			return nil
		}
		return func() error { return p.Validate(ctx, r) }
	})
}

// Transact returns what has to be written with the object. The first error ends it; it is an API
// status.
func (c *Chain) Transact(ctx context.Context, r *Request) (with []storage.Op, err error) {
	err = c.each(r, StepTransact, func(p *Plugin) func() error {
		if p.Transact == nil {
			return nil
		}
		return func() error {
			ops, err := p.Transact(ctx, r)
			with = append(with, ops...)
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	return with, nil
}

// each asks the plug-ins that want the request, one after the other. part is what a plug-in does in
// the step, nil for nothing.
func (c *Chain) each(r *Request, step Step, part func(*Plugin) func() error) error {
	var all *Observation
	begun, plugins := time.Now(), c.all()
	for i := range plugins {
		p := &plugins[i]
		ask := part(p)
		if ask == nil || !p.wants(r) {
			continue
		}
		one := Observation{Plugin: p.Name, Step: step, Operation: r.Operation}
		before := time.Now()
		one.Stack, one.Err = guarded(p, ask)
		one.Err, one.Took = denied(r, one.Err), time.Since(before)
		c.observe(one)
		all = &Observation{Step: step, Operation: r.Operation, Err: one.Err}
		if one.Err != nil {
			break
		}
	}
	if all == nil {
		return nil
	}
	all.Took = time.Since(begun)
	c.observe(*all)
	return all.Err
}

// guarded asks a plug-in. A panic ends the request, not the server.
func guarded(p *Plugin, ask func() error) (stack []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			stack, err = debug.Stack(), apierrors.NewInternalError(fmt.Errorf("the admission plug-in %s panicked: %v", p.Name, r))
		}
	}()
	return nil, ask()
}

func (c *Chain) observe(o Observation) {
	if c.Observe != nil {
		c.Observe(o)
	}
}

// denied makes an API status of an error, unless it is the store's, which package registry knows
// how to tell.
func denied(r *Request, err error) error {
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) || storage.CodeOf(err) != storage.CodeOther || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return Forbidden(r, err)
}
