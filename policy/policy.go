// Package policy enforces ValidatingAdmissionPolicies, as Kubernetes has them: expressions in CEL
// say what a write has to be like, and bindings say where that holds. It is a module of its own, so
// that a program without it links no CEL, and serves no policies that nobody would enforce.
//
// A program asks for it in one line,
//
//	server.APIs = features.With(policy.Extras())
//
// which also gives the matchConditions of webhooks their language. Start reading at Extras.
// enforce.go is the plug-in, match.go says whom a policy is about, and params.go finds its
// parameters. decide.go makes an answer of what the expressions say, and package expression knows
// the language. Nothing here watches what is matched or writes a status.
package policy

import (
	"context"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/features"
	"github.com/typeplane/typeplane/internal/follow"
	"github.com/typeplane/typeplane/internal/server"
	"github.com/typeplane/typeplane/policy/expression"
	"github.com/typeplane/typeplane/policy/kinds"
)

// Name is what flags and messages call the plug-in.
const Name = "ValidatingAdmissionPolicy"

var (
	policiesResource   = admissionregistrationv1.SchemeGroupVersion.WithResource("validatingadmissionpolicies")
	bindingsResource   = admissionregistrationv1.SchemeGroupVersion.WithResource("validatingadmissionpolicybindings")
	namespacesResource = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// Extras are what the module adds to the kinds of the control plane: policies, and match
// conditions. They are the caller's.
func Extras() features.Extras {
	policies := kinds.API()
	policies.Admission = []typeplane.AdmissionPlugin{
		{Name: Name, Last: true, Needs: []schema.GroupVersionResource{policiesResource, bindingsResource}, New: newPlugin},
	}
	return features.Extras{Conditions: expression.Conditions, Policies: policies}
}

func newPlugin(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	e := newEnforcer(readerOf(h), h.Authorizer, h.Log)
	h.Readyz = append(h.Readyz, server.Check{Name: "validating-admission-policies", Check: e.ready})
	policies, bindings, log := *h.Resource(policiesResource, ""), *h.Resource(bindingsResource, ""), h.Log
	h.Go(func(ctx context.Context) { follow.Keep(ctx, &policies, log, e.setPolicies) })
	h.Go(func(ctx context.Context) { follow.Keep(ctx, &bindings, log, e.setBindings) })
	return admission.Plugin{Name: Name, Wants: e.wants, Validate: e.validate}, nil
}
