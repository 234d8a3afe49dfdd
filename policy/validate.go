package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/policy/expression"
)

// verdict is what the policies say of a request. It is for one goroutine.
type verdict struct {
	*enforcer
	*inputs
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
	v := &verdict{enforcer: e, inputs: newInputs(e, r)}
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
		params, err := v.paramsOf(ctx, p, b, v.r)
		if err != nil {
			v.misfit(p, b, err)
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
		v.r.Notes.Annotate(p.name+"/"+key, strings.Join(values, ", "))
	}
	return nil
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
		for _, action := range b.actions {
			switch action {
			case admissionregistrationv1.Deny:
				v.deny(p, b, f.Message, f.Reason)
			case admissionregistrationv1.Warn:
				v.r.Notes.Warn(fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", p.name, b.name, f.Message))
			case admissionregistrationv1.Audit:
				v.failures = append(v.failures, failure{f.Message, p.name, b.name, max(f.Index, 0), b.actions})
			}
		}
	}
	for _, a := range result.Annotations {
		if !slices.Contains(annotations[a.Key], a.Value) {
			annotations[a.Key] = append(annotations[a.Key], a.Value)
		}
	}
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
	message := fmt.Sprintf("ValidatingAdmissionPolicy '%s' denied request: %s", p.name, text)
	if b != nil {
		message = fmt.Sprintf("ValidatingAdmissionPolicy '%s' with binding '%s' denied request: %s", p.name, b.name, text)
	}
	if reason == "" {
		reason = metav1.StatusReasonInvalid
	}
	v.refused = denial(v.r, message, reason)
}
