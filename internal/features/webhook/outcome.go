package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/typeplane/typeplane/admission"
)

// The steps, as metrics call them.
const (
	stepAdmit      = "admit"
	stepValidating = "validating"
)

// The reasons of a refusal, as metrics call them.
const (
	callingError  = "calling_webhook_error"
	internalError = "apiserver_internal_error"
	noError       = "no_error"
)

// Call says what came of a call.
type Call struct {
	// Webhook is its name. Step is "admit" for one that may change the object, else "validating".
	Webhook, Step, Operation string
	Took                     time.Duration
	// Code is that of HTTP: 200, or why not; 0 for an error of the server itself. It is 600 at
	// most.
	Code int
	// Rejected says that the request ends here. Reason is then one of calling_webhook_error,
	// apiserver_internal_error and no_error; it is "" if the client has gone away.
	Rejected bool
	Reason   string
	// FailedOpen says that the webhook should have been asked, and the request went on without.
	FailedOpen bool
}

// callError is that there is no answer.
type callError struct {
	hook   string
	code   int32
	reason error
}

func (e *callError) Error() string {
	return fmt.Sprintf("failed calling webhook %q: %v", e.hook, e.reason)
}
func (e *callError) Unwrap() error { return e.reason }

// noAnswer makes a callError. code is that of the answer, 503 if there was none.
func (h *hook) noAnswer(code int32, reason error) error {
	if code == 0 {
		code = http.StatusServiceUnavailable
	}
	return &callError{hook: h.name, code: code, reason: reason}
}

// rejection is a no.
type rejection struct{ *apierrors.StatusError }

// pass is a call as annotations of the audit log name it.
type pass struct {
	step, annotation string
	round, index     int
}

// key is that of an annotation about the call.
func (p pass) key(prefix, about string) string {
	return fmt.Sprintf("%s%s.webhook.admission.k8s.io/round_%d_index_%d", prefix, about, p.round, p.index)
}

// settle says what a call means for the request: an error ends it. It tells everybody who wants to
// know.
func (w *webhooks) settle(ctx context.Context, h *hook, r *admission.Request, p pass, took time.Duration, err error) error {
	c := Call{Webhook: h.name, Step: p.step, Operation: string(r.Operation), Took: took, Code: http.StatusOK}
	defer func() { w.config.Observe(c) }()
	if err == nil {
		return nil
	}
	var failed *callError
	var denied rejection
	switch {
	case errors.As(err, &denied):
		c.Rejected, c.Reason, c.Code = true, noError, metricCode(denied.ErrStatus.Code)
		return denied.StatusError
	case !errors.As(err, &failed):
		c.Rejected, c.Reason, c.Code = true, internalError, 0
		return err
	}
	gone := errors.Is(err, context.Canceled)
	c.Code = metricCode(failed.code)
	if !h.ignore {
		c.Rejected = true
		if !gone {
			c.Reason = callingError
		}
		w.config.Log.Warn("a webhook could not be called; the request is refused", "configuration", h.configuration, "webhook", h.name, "error", err)
		return apierrors.NewInternalError(err)
	}
	if !gone {
		c.FailedOpen = true
		w.config.Log.Warn("a webhook could not be called; the request goes on", "configuration", h.configuration, "webhook", h.name, "error", err)
		r.Notes.Annotate(p.key("failed-open.", p.annotation), h.name)
	}
	if ctx.Err() != nil {
		return timeout()
	}
	return nil
}

// timeout is the status of a request that has no time left.
func timeout() error {
	return apierrors.NewTimeoutError("request did not complete within requested timeout", 0)
}

func metricCode(code int32) int { return int(min(code, 600)) }

// relay passes on what the webhook says beside yes and no.
func (h *hook) relay(r *admission.Request, a *answer) {
	for key, value := range a.AuditAnnotations {
		key = h.name + "/" + key
		if strings.Count(key, "/") == 1 && len(validation.IsQualifiedName(key)) == 0 {
			r.Notes.Annotate(key, value)
		}
	}
	for _, text := range a.Warnings {
		r.Notes.Warn(text)
	}
}
