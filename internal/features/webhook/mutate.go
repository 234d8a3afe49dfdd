package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/internal/features/webhook/review"
	"github.com/typeplane/typeplane/internal/features/webhook/rounds"
	"github.com/typeplane/typeplane/runtime/jsonpatch"
)

// mutate asks the hooks that want the request, one after the other: each sees what the one before
// has made. In a second round it asks those once more that allow it, if somebody else has made a
// change since they were asked.
func (m *Mutating) mutate(ctx context.Context, r *admission.Request) error {
	if match.Exempt(r) {
		return nil
	}
	hooks, err := m.current(ctx, r)
	if err != nil {
		return err
	}
	s := rounds.New[*hook]()
	r.Second(func(ctx context.Context, r *admission.Request) error {
		if due, err := s.Second(r); err != nil {
			return apierrors.NewInternalError(err)
		} else if !due {
			return nil
		}
		return m.each(ctx, r, hooks, s)
	})
	return m.each(ctx, r, hooks, s)
}

// each is one round.
func (m *Mutating) each(ctx context.Context, r *admission.Request, hooks []*hook, s *rounds.Rounds[*hook]) error {
	var q *review.Question
	for i, h := range hooks {
		if !s.Wants(h) {
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
	if err := s.End(r); err != nil {
		return apierrors.NewInternalError(err)
	}
	return nil
}

// one asks a hook, the one at i, if its conditions are met, and does what it says.
func (m *Mutating) one(ctx context.Context, h *hook, i int, version admission.Version, q *review.Question, s *rounds.Rounds[*hook]) error {
	r := q.Request
	request, err := q.In(version)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	if ok, err := h.meets(ctx, r, request); err != nil || !ok {
		return err
	}
	p, begun, changed := pass{stepAdmit, "mutation", s.Number(), i}, time.Now(), false
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
	s.Asked(r, h, h.again, changed)
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
	if changed, err = q.Replace(version, after); err != nil {
		return false, misfit(h, err)
	}
	return changed, nil
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
