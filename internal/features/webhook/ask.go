package webhook

import (
	"context"
	"fmt"
	"net/http"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/typeplane/typeplane/admission"
)

// ask sends a hook the request and returns its answer, a yes or a no. It takes no longer than the
// hook may. The error is a callError if there is no answer, and an API status if the hook must not
// be asked.
func (w *webhooks) ask(ctx context.Context, h *hook, r *admission.Request, request *admissionv1.AdmissionRequest, mutating bool) (*answer, error) {
	if r.DryRun && !h.dryRun {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("admission webhook %q does not support dry run", h.name))
	}
	if h.broken != nil {
		return nil, h.noAnswer(http.StatusInternalServerError, h.broken)
	}
	uid, body, err := envelope(h.review, request)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	ctx, cancel := context.WithTimeout(ctx, h.timeout)
	defer cancel()
	data, code, err := h.to.post(ctx, h.url, body)
	if err != nil {
		return nil, h.noAnswer(code, fmt.Errorf("failed to call webhook: %w", err))
	}
	a, err := readAnswer(data, h.review, uid, mutating)
	if err != nil {
		return nil, h.noAnswer(0, fmt.Errorf("received invalid webhook response: %w", err))
	}
	return a, nil
}
