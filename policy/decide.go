package policy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/internal/features/webhook/match"
	"github.com/typeplane/typeplane/internal/features/webhook/review"
	"github.com/typeplane/typeplane/policy/expression"
)

// verdict is what the policies say of a request. It is for one goroutine.
type verdict struct {
	*enforcer
	r        *admission.Request
	question *review.Question
	inputs   map[admission.Version]*expression.Input
	// refused is the first refusal.
	refused  error
	failures []failure
}

// failure is a validation that is not met, as the audit log has it.
type failure struct {
	Message           string                                     `json:"message"`
	Policy            string                                     `json:"policy"`
	Binding           string                                     `json:"binding"`
	ExpressionIndex   int                                        `json:"expressionIndex"`
	ValidationActions []admissionregistrationv1.ValidationAction `json:"validationActions"`
}

const (
	failureKey  = "validation.policy.admission.k8s.io/validation_failure"
	maxFailures = 50 // in the audit log
)

// validate judges a request by all policies, in the order of their names. The first refusal is the
// answer, but all of them are asked, so that the warnings and the audit log are complete.
func (e *enforcer) validate(ctx context.Context, r *admission.Request) error {
	active, err := e.current(ctx, r)
	if err != nil {
		return err
	}
	v := &verdict{enforcer: e, r: r, inputs: map[admission.Version]*expression.Input{}}
	for _, p := range active {
		if err := v.judge(ctx, p); err != nil {
			return err
		}
	}
	if len(v.failures) > 0 {
		if !r.Notes.MayQuote() {
			for i := range v.failures {
				v.failures[i].Message = ""
			}
		}
		if text, err := json.Marshal(v.failures[:min(len(v.failures), maxFailures)]); err == nil {
			r.Notes.Annotate(failureKey, string(text))
		}
	}
	return v.refused
}

// judge asks a policy, once for each binding and parameter. The error is one of the server.
func (v *verdict) judge(ctx context.Context, p *bound) error {
	version, ok, err := p.matches(ctx, v.r, v.reader.labels)
	if err != nil {
		v.misfit(p, nil, fmt.Errorf("failed to configure policy: %w", err))
	}
	if !ok || err != nil {
		return nil
	}
	if p.problem != nil {
		v.misfit(p, nil, fmt.Errorf("failed to configure policy: %w", p.problem))
		return nil
	}
	annotations := map[string][]string{}
	for i := range p.bindings {
		b := &p.bindings[i]
		if _, ok, err = b.matches(ctx, v.r, v.reader.labels); err == nil && !ok {
			continue
		}
		var params []any
		if err == nil {
			params, err = v.reader.params(ctx, p.Spec.ParamKind, b.Spec.ParamRef, match.Namespace(v.r))
		}
		if err != nil {
			v.misfit(p, b, fmt.Errorf("failed to configure binding: %w", err))
			continue
		}
		if len(params) == 0 {
			continue
		}
		input, err := v.input(ctx, version)
		if err != nil {
			return err
		}
		for _, param := range params {
			v.settle(p, b, p.expressions.Evaluate(ctx, input.With(param)), annotations)
		}
	}
	for key, values := range annotations {
		v.r.Notes.Annotate(p.Name+"/"+key, strings.Join(values, ", "))
	}
	return nil
}

// input is the request in a version, as expressions see it. The error is an API status.
func (v *verdict) input(ctx context.Context, version admission.Version) (*expression.Input, error) {
	if in := v.inputs[version]; in != nil {
		return in, nil
	}
	if v.question == nil {
		question, err := review.New(v.r, auth.UserFrom(ctx))
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		v.question = question
	}
	request, err := v.question.In(version)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	in, err := expression.NewInput(request)
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	in.Authorizer = v.authorizer
	if v.r.Namespace != "" && v.r.Resource.GroupResource() != namespacesResource.GroupResource() {
		namespace, err := v.reader.namespace(ctx, v.r.Namespace)
		if err != nil {
			return nil, err
		}
		in.Namespace = namespace
	}
	v.inputs[version] = in
	return in, nil
}

// settle does with the result of a policy what a binding asks for.
func (v *verdict) settle(p *bound, b *binding, result expression.Result, annotations map[string][]string) {
	failed := result.Failures
	if !p.ignores() {
		failed = append(slices.Clone(failed), result.Errors...)
		slices.SortStableFunc(failed, func(a, b expression.Failure) int { return a.Index - b.Index })
		for _, text := range result.AnnotationErrors {
			v.deny(p, b, text, "")
		}
	}
	for _, f := range failed {
		for _, action := range b.Spec.ValidationActions {
			switch action {
			case admissionregistrationv1.Deny:
				v.deny(p, b, f.Message, f.Reason)
			case admissionregistrationv1.Warn:
				v.r.Notes.Warn(fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", p.Name, b.Name, f.Message))
			case admissionregistrationv1.Audit:
				v.failures = append(v.failures, failure{f.Message, p.Name, b.Name, max(f.Index, 0), b.Spec.ValidationActions})
			}
		}
	}
	for _, a := range result.Annotations {
		if !slices.Contains(annotations[a.Key], a.Value) {
			annotations[a.Key] = append(annotations[a.Key], a.Value)
		}
	}
}

// ignores says whether what can't be evaluated counts as met.
func (p *policy) ignores() bool {
	return p.Spec.FailurePolicy != nil && *p.Spec.FailurePolicy == admissionregistrationv1.Ignore
}

// misfit is for a policy that can't be asked, by a binding or at all.
func (v *verdict) misfit(p *bound, b *binding, err error) {
	if !p.ignores() {
		v.deny(p, b, err.Error(), "")
	}
}

func (v *verdict) deny(p *bound, b *binding, text string, reason metav1.StatusReason) {
	if v.refused != nil {
		return
	}
	message := fmt.Sprintf("ValidatingAdmissionPolicy '%s' denied request: %s", p.Name, text)
	if b != nil {
		message = fmt.Sprintf("ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", p.Name, b.Name, text)
	}
	if reason == "" {
		reason = metav1.StatusReasonInvalid
	}
	err := admission.Forbidden(v.r, errors.New(message))
	err.ErrStatus.Reason, err.ErrStatus.Code = reason, codeOf(reason)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{Message: message})
	v.refused = err
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
