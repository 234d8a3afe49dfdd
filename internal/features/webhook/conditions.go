package webhook

import (
	"context"
	"reflect"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/auth"
	"github.com/typeplane/typeplane/registry/rest"
)

// Conditions compiles the matchConditions of a webhook; the errors are what is wrong with them,
// below path. Programs that link no language for them have none.
type Conditions func(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (Match, field.ErrorList)

// Match says whether a request meets all conditions, which may ask who may do what; with nil nobody
// may do anything. The request is what the webhook would be asked, except for its uid, and is not
// modified. An error means that this can't be said.
type Match func(ctx context.Context, request *admissionv1.AdmissionRequest, may auth.Authorizer) (bool, error)

// conditions compiles matchConditions, or says that nobody here can.
func (w *webhooks) conditions(conditions []admissionregistrationv1.MatchCondition, path *field.Path) (Match, field.ErrorList) {
	if w.config.Conditions == nil {
		return nil, field.ErrorList{field.Forbidden(path, "this server is built without the language of match conditions (CEL): leave them out, and match by rules and selectors")}
	}
	return w.config.Conditions(conditions, path)
}

// meets says whether a request meets the match conditions of the hook. Where that can't be said, a
// hook that is ignored when it fails is not asked, and any other refuses.
func (h *hook) meets(ctx context.Context, r *admission.Request, request *admissionv1.AdmissionRequest) (bool, error) {
	if h.match == nil {
		return true, nil
	}
	ok, err := h.match(ctx, request, h.may)
	switch {
	case err == nil:
		return ok, nil
	case h.ignore:
		return false, nil
	}
	return false, apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, err)
}

// unmatchable is what happens to conditions that can't be compiled.
func unmatchable(err error) Match {
	return func(context.Context, *admissionv1.AdmissionRequest, auth.Authorizer) (bool, error) { return false, err }
}

// The kinds of configurations. A plug-in sees its own for nothing but the language in them.
const (
	mutatingKind   = "MutatingWebhookConfiguration"
	validatingKind = "ValidatingWebhookConfiguration"
)

// configures says whether a request writes a configuration of a kind.
func configures(r *admission.Request, kind string) bool {
	return r.Kind.Group == admissionregistrationv1.GroupName && r.Kind.Kind == kind && r.Subresource == "" &&
		(r.Operation == admission.Create || r.Operation == admission.Update)
}

// checkConditions refuses a configuration with matchConditions that can't be compiled. Those that
// were there before stay: they may have been written when the language was another.
func (w *webhooks) checkConditions(_ context.Context, r *admission.Request) error {
	known := conditionsOf(r.Old)
	var errs field.ErrorList
	for i, h := range conditionsOf(r.Object) {
		if len(h) == 0 || i < len(known) && reflect.DeepEqual(h, known[i]) {
			continue
		}
		_, problems := w.conditions(h, field.NewPath("webhooks").Index(i).Child("matchConditions"))
		if errs = append(errs, problems...); len(errs) > rest.MaxViolations {
			break
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return rest.Invalid(r.Kind.GroupKind(), r.Name, errs)
}

// conditionsOf are those of each webhook of a configuration.
func conditionsOf(configuration apiruntime.Object) (all [][]admissionregistrationv1.MatchCondition) {
	switch c := configuration.(type) {
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for i := range c.Webhooks {
			all = append(all, c.Webhooks[i].MatchConditions)
		}
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for i := range c.Webhooks {
			all = append(all, c.Webhooks[i].MatchConditions)
		}
	}
	return all
}
