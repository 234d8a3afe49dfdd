// Package features lists the kinds of Kubernetes' control plane that a program can serve beside its
// own, with the loops that belong to them.
//
// A program asks for them in one line, typeplane.Server{…, APIs: features.All()}, and the operator chooses
// among them with --enable-api. A program that does not ask links none of them. The kinds are
// aliases of the types of k8s.io/api, in the folders below; each group's rules are in the folder of
// the group. The plug-ins of admission that work with them come along (admission.go). Start reading
// at All. Nothing here runs a pod, a node or a controller of workloads.
package features

import (
	"context"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission/webhook"
	"github.com/typeplane/typeplane/features/admissionregistration"
	"github.com/typeplane/typeplane/features/authentication"
	"github.com/typeplane/typeplane/features/authorization"
	"github.com/typeplane/typeplane/features/events"
	"github.com/typeplane/typeplane/features/lease"
	"github.com/typeplane/typeplane/features/storageclass"
)

// Extras are what a program may add to what is here.
type Extras struct {
	// Conditions is the language of the matchConditions of webhooks, nil for none: configurations
	// that have some are refused.
	Conditions webhook.Conditions
	// Service returns the address, host:port, at which a service is reached that is a webhook. nil:
	// name.namespace.svc, as the DNS of a cluster has it. It is called from any goroutine.
	Service func(ctx context.Context, namespace, name string, port int32) (string, error)
	// Policies are the kinds of admission policies, with the plug-in that enforces them; none: they
	// are not served. Module policy has them.
	Policies typeplane.API
	// Namespaces are made when they are missing, beside default, kube-system and kube-public;
	// unlike these they can be deleted until the next start.
	Namespaces []string
}

// All returns everything that there is, in the order in which --enable-api shows it.
func All() []typeplane.API { return With(Extras{}) }

// With is All with more.
func With(x Extras) []typeplane.API {
	policies := x.Policies
	policies.Admission = nil // they have their place among the others
	return []typeplane.API{
		coreAPI(x.Namespaces), tokenAPI(), events.API(), lease.API(), storageclass.API(), admissionregistration.API(), policies, rbacAPI(), authorization.API(), authentication.API(),
		{Admission: admissionPlugins(x)},
	}
}
