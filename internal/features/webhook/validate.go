package webhook

import (
	"context"
	"fmt"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/internal/features/webhook/review"
)

// asked is a call that is under way, and then what came of it.
type asked struct {
	h       *hook
	request *admissionv1.AdmissionRequest
	answer  *answer
	took    time.Duration
	err     error
}

// validate asks all hooks that want the request at once, and waits for all of them, so that each
// gets to see what it asks for. The first no, in their order, counts.
func (v *Validating) validate(ctx context.Context, r *admission.Request) error {
	calls, err := v.wanted(ctx, r)
	if err != nil || len(calls) == 0 {
		return err
	}
	if ctx.Err() != nil {
		return timeout()
	}
	var all sync.WaitGroup
	for _, c := range calls {
		all.Go(func() {
			begun := time.Now()
			c.answer, c.err = v.askGuarded(ctx, c.h, r, c.request)
			c.took = time.Since(begun)
		})
	}
	all.Wait()
	var refused error
	for i, c := range calls {
		if c.err == nil {
			c.h.relay(r, c.answer)
			c.err = verdict(c.h, c.answer)
		}
		if err := v.settle(ctx, c.h, r, pass{stepValidating, "validating", 0, i}, c.took, c.err); err != nil && refused == nil {
			refused = err
		}
	}
	return refused
}

// wanted are the calls that have to be made.
func (v *Validating) wanted(ctx context.Context, r *admission.Request) ([]*asked, error) {
	hooks, err := v.current(ctx, r)
	if err != nil {
		return nil, err
	}
	var calls []*asked
	var q *review.Question
	for _, h := range hooks {
		version, ok := match.Version(h.rules, h.exact, r)
		if !ok {
			continue
		}
		if ok, err = h.selectors.Select(ctx, r, v.config.Namespaces); err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if q == nil {
			if q, err = review.New(r, auth.UserFrom(ctx)); err != nil {
				return nil, apierrors.NewInternalError(err)
			}
		}
		request, err := q.In(version)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		if ok, err = h.meets(ctx, r, request); err != nil {
			return nil, err
		}
		if ok {
			calls = append(calls, &asked{h: h, request: request})
		}
	}
	return calls, nil
}

// askGuarded is ask for a goroutine of its own: a panic there would end the server.
func (v *Validating) askGuarded(ctx context.Context, h *hook, r *admission.Request, request *admissionv1.AdmissionRequest) (a *answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, err = nil, h.noAnswer(0, fmt.Errorf("it has panicked: %v", p))
		}
	}()
	return v.ask(ctx, h, r, request, false)
}
