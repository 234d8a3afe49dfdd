// Package policy enforces ValidatingAdmissionPolicies and MutatingAdmissionPolicies, as Kubernetes
// has them. Expressions in CEL say what a write has to be like, or what is made of it, and bindings
// say where that holds. It is a module of its own, so that a program without it links no CEL, and
// serves no policies that nobody would enforce.
//
// A program asks for it in one line,
//
//	server.APIs = features.With(policy.Extras())
//
// which also gives the matchConditions of webhooks their language. Start reading at Extras.
// enforce.go knows the policies that hold, match.go says whom a policy is about, and params.go
// finds its parameters. validate.go makes an answer of what expressions say, mutate.go an object;
// guard.go judges the policies themselves.
// Package expression knows the language. Nothing here watches what is matched or writes a status.
package policy

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/policy/expression"
	"github.com/typeplane/typeplane/policy/kinds"
)

// What flags and messages call the plug-ins.
const (
	MutatingName   = "MutatingAdmissionPolicy"
	ValidatingName = "ValidatingAdmissionPolicy"
)

var (
	mutatingPolicies   = admissionregistrationv1.SchemeGroupVersion.WithResource("mutatingadmissionpolicies")
	mutatingBindings   = admissionregistrationv1.SchemeGroupVersion.WithResource("mutatingadmissionpolicybindings")
	validatingPolicies = admissionregistrationv1.SchemeGroupVersion.WithResource("validatingadmissionpolicies")
	validatingBindings = admissionregistrationv1.SchemeGroupVersion.WithResource("validatingadmissionpolicybindings")
	namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// Extras are what the module adds to the kinds of the control plane: policies, and match
// conditions. They are the caller's.
func Extras() features.Extras {
	policies := kinds.API()
	policies.Admission = []typeplane.AdmissionPlugin{
		{Name: MutatingName, Last: true, Needs: []schema.GroupVersionResource{mutatingPolicies, mutatingBindings}, New: newMutating},
		{Name: ValidatingName, Last: true, Needs: []schema.GroupVersionResource{validatingPolicies, validatingBindings}, New: newValidating},
	}
	return features.Extras{Conditions: expression.Conditions, Policies: policies}
}

func newMutating(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	e := newEnforcer(readerOf(h), h.Authorizer, h.Log)
	h.Readyz = append(h.Readyz, server.Check{Name: "mutating-admission-policies", Check: e.ready})
	keep(h, mutatingPolicies, e.setPolicies, mutatingSource)
	keep(h, mutatingBindings, e.setBindings, mutatingBinding)
	own := guard{e.reader, h.Authorizer, mutatingPolicies, mutatingBindings}
	return admission.Plugin{
		Name:  MutatingName,
		Wants: func(r *admission.Request) bool { return own.wants(r) || e.wants(r) },
		Mutate: func(ctx context.Context, r *admission.Request) error {
			if own.wants(r) {
				return nil
			}
			return e.mutate(ctx, r)
		},
		Validate: func(ctx context.Context, r *admission.Request) error {
			if own.wants(r) {
				return own.validate(ctx, r)
			}
			return nil
		},
	}, nil
}

func newValidating(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	e := newEnforcer(readerOf(h), h.Authorizer, h.Log)
	h.Readyz = append(h.Readyz, server.Check{Name: "validating-admission-policies", Check: e.ready})
	keep(h, validatingPolicies, e.setPolicies, validatingSource)
	keep(h, validatingBindings, e.setBindings, validatingBinding)
	if status := h.Resource(validatingPolicies, "status"); status != nil {
		h.Go((&reporter{e, h.Resource(validatingPolicies, ""), status}).run)
	}
	own := guard{e.reader, h.Authorizer, validatingPolicies, validatingBindings}
	return admission.Plugin{
		Name:  ValidatingName,
		Wants: func(r *admission.Request) bool { return own.wants(r) || e.wants(r) },
		Validate: func(ctx context.Context, r *admission.Request) error {
			if own.wants(r) {
				return own.validate(ctx, r)
			}
			return e.validate(ctx, r)
		},
	}, nil
}

// keep has an enforcer know all objects of a resource while the server serves, each as read makes
// it.
func keep[T, R any, P interface {
	*T
	metav1.Object
}](h *typeplane.Host, resource schema.GroupVersionResource, set func([]R), read func(P) R) {
	from, log := *h.Resource(resource, ""), h.Log
	h.Go(func(ctx context.Context) {
		follow.Keep(ctx, &from, log, func(all []P) { set(each(all, read)) })
	})
}

func each[T, R any](all []T, read func(T) R) []R {
	made := make([]R, len(all))
	for i, one := range all {
		made[i] = read(one)
	}
	return made
}

func mutatingSource(p *admissionregistrationv1.MutatingAdmissionPolicy) source {
	return source{
		generation: generation{p.UID, p.Generation}, name: p.Name,
		params: p.Spec.ParamKind, failure: p.Spec.FailurePolicy, constraints: p.Spec.MatchConstraints,
		compile: func(path *field.Path) (*expression.Policy, field.ErrorList) {
			return expression.CompileMutations(&p.Spec, path)
		},
		again: p.Spec.ReinvocationPolicy == admissionregistrationv1.IfNeededReinvocationPolicy,
	}
}

func mutatingBinding(b *admissionregistrationv1.MutatingAdmissionPolicyBinding) binding {
	return binding{name: b.Name, policy: b.Spec.PolicyName, params: b.Spec.ParamRef, target: newTarget(b.Spec.MatchResources)}
}

func validatingSource(p *admissionregistrationv1.ValidatingAdmissionPolicy) source {
	return source{
		generation: generation{p.UID, p.Generation}, name: p.Name,
		params: p.Spec.ParamKind, failure: p.Spec.FailurePolicy, constraints: p.Spec.MatchConstraints,
		compile: func(path *field.Path) (*expression.Policy, field.ErrorList) {
			return expression.Compile(&p.Spec, path)
		},
		conditions: p.Status.Conditions,
	}
}

func validatingBinding(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding) binding {
	return binding{
		name: b.Name, policy: b.Spec.PolicyName, params: b.Spec.ParamRef, target: newTarget(b.Spec.MatchResources),
		actions: b.Spec.ValidationActions,
	}
}
