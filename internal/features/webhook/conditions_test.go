package webhook

import (
	"context"
	"errors"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
)

// Nobody is asked about a configuration, not even by a plug-in that knows nothing yet.
func TestConfigurationsAreExempt(t *testing.T) {
	m := NewMutating(Config{})
	if m.wants(&admission.Request{Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Kind: "MutatingWebhookConfiguration"}}) {
		t.Error("a plug-in that knows nothing yet wants to see configurations")
	}
}

func TestConditions(t *testing.T) {
	w := newWorld(t, Config{Conditions: func(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (Match, field.ErrorList) {
		if conditions[0].Expression == "bad" {
			return nil, field.ErrorList{field.Invalid(path.Index(0).Child("expression"), "bad", "no")}
		}
		return func(_ context.Context, r *admissionv1.AdmissionRequest, _ auth.Authorizer) (bool, error) {
			if conditions[0].Expression == "fails" {
				return false, errors.New("it fails")
			}
			return r.Name == conditions[0].Expression, nil
		}, nil
	}})
	hook := newRemote(t, allow)
	with := func(expression, more string) admissionregistrationv1.ValidatingWebhook {
		return validatingHook(t, hook, "v.example.com", "matchConditions: [{name: a, expression: "+expression+"}]\n"+more)
	}
	w.validate(with("w", ""))
	for _, name := range []string{"w", "x"} {
		if _, err := w.create(`{"metadata":{"name":"` + name + `"}}`); err != nil {
			t.Error(err)
		}
	}
	if seen := hook.seen(); len(seen) != 1 || seen[0].Name != "w" {
		t.Errorf("%d requests", len(seen))
	}
	for _, expression := range []string{"fails", "bad"} {
		w.validate(with(expression, ""))
		_, err := w.create(`{"metadata":{"name":"y"}}`)
		wantStatus(t, err, 403, `widgets.shop.example.com "y" is forbidden`)
		w.validate(with(expression, "failurePolicy: Ignore"))
		if _, err := w.create(`{"metadata":{"name":"` + expression + `"}}`); err != nil {
			t.Error(err)
		}
	}
	if n := len(hook.seen()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// A configuration whose conditions nobody can compile is refused, except for what was there before.
func TestConditionsOfConfigurations(t *testing.T) {
	with := func(expressions ...string) *admissionregistrationv1.ValidatingWebhookConfiguration {
		c := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		for _, e := range expressions {
			h := admissionregistrationv1.ValidatingWebhook{}
			if e != "" {
				h.MatchConditions = []admissionregistrationv1.MatchCondition{{Name: "a", Expression: e}}
			}
			c.Webhooks = append(c.Webhooks, h)
		}
		return c
	}
	simple := func(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (Match, field.ErrorList) {
		if conditions[0].Expression == "bad" {
			return nil, field.ErrorList{field.Invalid(path.Index(0).Child("expression"), "bad", "no")}
		}
		return func(context.Context, *admissionv1.AdmissionRequest, auth.Authorizer) (bool, error) { return true, nil }, nil
	}
	const unable = `webhooks[1].matchConditions: Forbidden: this server is built without the language of match conditions (CEL): leave them out, and match by rules and selectors`
	for _, tt := range []struct {
		name     string
		compile  Conditions
		new, old *admissionregistrationv1.ValidatingWebhookConfiguration
		want     string
	}{
		{name: "none", new: with("", "")},
		{name: "no language", new: with("", "good"), want: unable},
		{name: "it was there", new: with("", "good"), old: with("", "good")},
		{name: "it was elsewhere", new: with("", "good"), old: with("good"), want: unable},
		{name: "it changed", new: with("", "good"), old: with("", "better"), want: unable},
		{name: "good", compile: simple, new: with("good")},
		{name: "bad", compile: simple, new: with("good", "bad"), want: `webhooks[1].matchConditions[0].expression: Invalid value: "bad": no`},
	} {
		p := NewValidating(Config{Conditions: tt.compile}).Plugin()
		r := &admission.Request{Operation: admission.Create, Name: "c", Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingWebhookConfiguration"}, Object: tt.new}
		if tt.old != nil {
			r.Operation, r.Old = admission.Update, tt.old
		}
		if !p.Wants(r) {
			t.Errorf("%s: it is not asked", tt.name)
		}
		err := p.Validate(t.Context(), r)
		if tt.want == "" && err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tt.want != "" {
			wantStatus(t, err, 422, `ValidatingWebhookConfiguration.admissionregistration.k8s.io "c" is invalid: `+tt.want)
		}
	}
	if p := NewMutating(Config{}).Plugin(); p.Wants(&admission.Request{Operation: admission.Create, Kind: schema.GroupVersionKind{Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"}}) {
		t.Error("each plug-in is asked about configurations of its own")
	}
}
