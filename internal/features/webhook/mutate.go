package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/internal/features/webhook/review"
	"github.com/typeplane/typeplane/runtime/jsonpatch"
)

// rounds is what the plug-in keeps from the first round of a request for the second. Hooks are
// known by their place.
type rounds struct {
	hooks []*hook
	round int
	// asked are those that may be asked again and were, with no change by others since; due are
	// those that others have made a change since.
	asked, due map[int]bool
	// last is the object when the plug-in was done with it, in its first version; nil if nobody
	// would ask again.
	last []byte
}

// changed is what follows from a change: who has been asked before should see it.
func (s *rounds) changed() {
	for i := range s.asked {
		s.due[i] = true
	}
	clear(s.asked)
}

// mutate asks the hooks that want the request, one after the other: each sees what the one before
// has made.
func (m *Mutating) mutate(ctx context.Context, r *admission.Request) error {
	if match.Exempt(r) {
		return nil
	}
	hooks, err := m.current(ctx, r)
	if err != nil {
		return err
	}
	s := &rounds{hooks: hooks, asked: map[int]bool{}, due: map[int]bool{}}
	r.Second(func(ctx context.Context, r *admission.Request) error { return m.mutateAgain(ctx, r, s) })
	return m.each(ctx, r, s)
}

// mutateAgain asks once more those that allow it, if somebody else has made a change since they
// were asked. A hook that was not asked the first time is not asked the second time.
func (m *Mutating) mutateAgain(ctx context.Context, r *admission.Request, s *rounds) error {
	s.round = 1
	if len(s.asked) > 0 {
		now, err := first(r)
		if err != nil {
			return apierrors.NewInternalError(err)
		}
		if !bytes.Equal(now, s.last) {
			s.changed()
		}
	}
	if len(s.due) == 0 {
		return nil
	}
	return m.each(ctx, r, s)
}

// first is the object in the first of its versions, to see whether it changes.
func first(r *admission.Request) ([]byte, error) {
	if r.Object == nil || r.Codec == nil {
		return nil, nil
	}
	return r.Codec.Encode(r.Object, r.Codec.Versions()[0])
}

// each is one round.
func (m *Mutating) each(ctx context.Context, r *admission.Request, s *rounds) error {
	var q *review.Question
	for i, h := range s.hooks {
		if s.round > 0 && !s.due[i] {
			continue
		}
		version, ok := match.Version(h.rules, h.exact, r)
		if !ok {
			continue
		}
		if ok, err := h.selectors.Select(ctx, r, m.config.Namespaces); err != nil || !ok {
			if err != nil {
				return err
			}
			continue
		}
		if q == nil {
			var err error
			if q, err = review.New(r, auth.UserFrom(ctx)); err != nil {
				return apierrors.NewInternalError(err)
			}
		}
		if err := m.one(ctx, h, i, version, q, s); err != nil {
			return err
		}
	}
	if s.round > 0 || len(s.asked) == 0 {
		return nil
	}
	var err error
	if s.last, err = first(r); err != nil {
		return apierrors.NewInternalError(err)
	}
	return nil
}

// one asks hook i, if its conditions are met, and does what it says.
func (m *Mutating) one(ctx context.Context, h *hook, i int, version admission.Version, q *review.Question, s *rounds) error {
	r := q.Request
	request, err := q.In(version)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if ok, err := h.meets(ctx, r, request); err != nil || !ok {
		return err
	}
	p, begun, changed := pass{stepAdmit, "mutation", s.round, i}, time.Now(), false
	a, err := m.ask(ctx, h, r, request, true)
	if err == nil {
		h.relay(r, a)
		if err = verdict(h, a); err == nil && a.patch != nil {
			if changed, err = h.apply(q, version, a.patch); err == nil {
				annotatePatch(r, p, h, a.patch)
			}
		}
	}
	annotateMutation(r, p, h, changed)
	if changed {
		s.changed()
		r.Again = true
	}
	if h.again {
		s.asked[i] = true
	}
	return m.settle(ctx, h, r, p, time.Since(begun), err)
}

// verdict is a rejection unless the answer is a yes.
func verdict(h *hook, a *answer) error {
	if a.Allowed {
		return nil
	}
	return rejection{denial(h.name, a.Result)}
}

// apply makes the Object of the request what a patch of its version asks for. A patch that can't be
// read is no answer. One that makes something else of the object than the kind allows refuses the
// request, whatever the failure policy: the hook has been asked, and its wish is unknown.
func (h *hook) apply(q *review.Question, version admission.Version, text []byte) (changed bool, err error) {
	patch, _, err := jsonpatch.Parse(text)
	if err != nil {
		return false, h.noAnswer(0, fmt.Errorf("received undecodable patch in webhook response: %w", err))
	}
	if patch.Empty() {
		return false, nil
	}
	r := q.Request
	if r.Object == nil || r.Codec == nil {
		return false, apierrors.NewInternalError(fmt.Errorf("admission webhook %q attempted to modify the object, which is not supported for this operation", h.name))
	}
	before, err := q.Object(version)
	if err != nil {
		return false, apierrors.NewInternalError(err)
	}
	after, err := patch.Apply(before)
	if err != nil {
		return false, misfit(h, err)
	}
	obj, err := r.Codec.Decode(after, version)
	if err != nil {
		return false, misfit(h, err)
	}
	r.Object = obj
	q.Changed()
	if after, err = q.Object(version); err != nil {
		return false, apierrors.NewInternalError(err)
	}
	return !bytes.Equal(before, after), nil
}

func misfit(h *hook, err error) error {
	return apierrors.NewInternalError(fmt.Errorf("the patch of admission webhook %q does not fit the object: %w", h.name, err))
}

// annotateMutation says in the audit log who was asked, and whether it came to a change.
func annotateMutation(r *admission.Request, p pass, h *hook, changed bool) {
	value, err := json.Marshal(struct {
		Configuration string `json:"configuration"`
		Webhook       string `json:"webhook"`
		Mutated       bool   `json:"mutated"`
	}{h.configuration, h.name, changed})
	if err == nil {
		r.Notes.Annotate(p.key("", p.annotation), string(value))
	}
}

// annotatePatch says what the change was, where the audit log keeps what is written. The patch has
// been read before.
func annotatePatch(r *admission.Request, p pass, h *hook, patch []byte) {
	r.Notes.AnnotateBody(p.key("", "patch"), func() string {
		value, err := json.Marshal(struct {
			Configuration string          `json:"configuration"`
			Webhook       string          `json:"webhook"`
			Patch         json.RawMessage `json:"patch"`
			PatchType     string          `json:"patchType"`
		}{h.configuration, h.name, patch, "JSONPatch"})
		if err != nil {
			return "left out: " + err.Error()
		}
		return string(value)
	})
}
