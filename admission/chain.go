package admission

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/storage"
)

// Plugin is a part of admission. A function that is nil has nothing to say. They may be called from any goroutine, several
// times for one write. An error that is no API status becomes a 403 with its text.
type Plugin struct {
	// Name is what flags and messages call it.
	Name string
	// Wants says whether there is anything to say about a request. It is asked before there are an Object and an Old, which
	// are not read or decoded for a deletion that nobody wants to see; so it is quick. nil: there always is.
	Wants func(*Request) bool
	// Mutate changes the Object before it is judged by anybody. The metadata is as the client sent it.
	Mutate func(context.Context, *Request) error
	// Validate refuses a write, after the rules of the kind. It modifies nothing. The object is complete.
	Validate func(context.Context, *Request) error
	// Charge says what else has to be written with the object, in one transaction, or that it can't be. It is asked last, for
	// each attempt to write, with Operation Delete also for an object that goes because its last finalizer did. When one of
	// the operations does not find the revision that it expects, Charge is asked again.
	Charge func(context.Context, *Request) ([]storage.Op, error)
}

// Chain holds the plug-ins of a server. A nil or empty Chain admits everything. Its methods may be called from any goroutine.
type Chain struct {
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

func (p *Plugin) wants(r *Request) bool { return p.Wants == nil || p.Wants(r) }

// Wants says whether some plug-in wants to see a request, to change it, judge it or charge it.
func (c *Chain) Wants(r *Request) bool {
	return slices.ContainsFunc(c.all(), func(p Plugin) bool { return p.wants(r) })
}

// Mutate lets the plug-ins change r.Object, in their order. The first error ends it; it is an API status.
func (c *Chain) Mutate(ctx context.Context, r *Request) error {
	for _, p := range c.all() {
		if p.Mutate == nil || !p.wants(r) {
			continue
		}
		if err := p.Mutate(ctx, r); err != nil {
			return denied(r, err)
		}
	}
	return nil
}

// Validate asks the plug-ins, in their order. The first error ends it; it is an API status.
func (c *Chain) Validate(ctx context.Context, r *Request) error {
	for _, p := range c.all() {
		if p.Validate == nil || !p.wants(r) {
			continue
		}
		if err := p.Validate(ctx, r); err != nil {
			return denied(r, err)
		}
	}
	return nil
}

// Charge returns what has to be written with the object. The first error ends it; it is an API status.
func (c *Chain) Charge(ctx context.Context, r *Request) ([]storage.Op, error) {
	var with []storage.Op
	for _, p := range c.all() {
		if p.Charge == nil || !p.wants(r) {
			continue
		}
		ops, err := p.Charge(ctx, r)
		if err != nil {
			return nil, denied(r, err)
		}
		with = append(with, ops...)
	}
	return with, nil
}

// denied makes an API status of an error.
func denied(r *Request, err error) error {
	var status apierrors.APIStatus
	if errors.As(err, &status) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, err)
}
