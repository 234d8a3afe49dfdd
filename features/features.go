// Package features lists what a program can serve beside its own kinds: those of Kubernetes'
// control plane, each with all that belongs to it.
//
// A program asks for them in one line, typeplane.Server{…, APIs: features.All()}, and the operator
// chooses among them with --enable-api. A program that does not ask links none of them. Each
// feature is a folder of internal/features: its kinds, which are aliases of the types of
// k8s.io/api, their rules, its plug-in of admission, its loops and its authorizer. Start reading at
// With, and then at API in the folder of a feature. Nothing here runs a pod, a node or a controller
// of workloads.
package features

import (
	"cmp"
	"context"
	"slices"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/internal/features/authentication"
	"github.com/typeplane/typeplane/internal/features/authorization"
	"github.com/typeplane/typeplane/internal/features/certificates"
	"github.com/typeplane/typeplane/internal/features/config"
	"github.com/typeplane/typeplane/internal/features/credential"
	"github.com/typeplane/typeplane/internal/features/events"
	"github.com/typeplane/typeplane/internal/features/flowcontrol"
	"github.com/typeplane/typeplane/internal/features/garbage"
	"github.com/typeplane/typeplane/internal/features/lease"
	"github.com/typeplane/typeplane/internal/features/limitrange"
	"github.com/typeplane/typeplane/internal/features/namespace"
	"github.com/typeplane/typeplane/internal/features/quota"
	"github.com/typeplane/typeplane/internal/features/rbac"
	"github.com/typeplane/typeplane/internal/features/serviceaccount"
	"github.com/typeplane/typeplane/internal/features/storageclass"
	"github.com/typeplane/typeplane/internal/features/webhook"
)

// Extras are what a program may add to what is here.
type Extras struct {
	// Conditions is the language of the matchConditions of webhooks, nil for none: configurations
	// that have some are refused.
	Conditions Conditions
	// Service returns the address, host:port, at which a service is reached that is a webhook. nil:
	// name.namespace.svc, as the DNS of a cluster has it. It is called from any goroutine.
	Service func(ctx context.Context, namespace, name string, port int32) (string, error)
	// Policies are the kinds of admission policies, with the plug-in that enforces them; none: they
	// are not served. Module policy has them.
	Policies typeplane.API
	// Namespaces are made when they are missing, beside default, kube-system and kube-public;
	// unlike these they can be deleted until the next start.
	Namespaces []string
	// Roles are those that a server begins with beside its own, for the programs around it. They
	// are kept like these: what is missing in them at a start comes back.
	Roles Roles
}

// Roles are roles and their bindings.
type Roles = rbac.Policy

// Conditions compiles the matchConditions of a webhook, in some language. Match is what comes of
// them. Module policy has the language of Kubernetes.
type (
	Conditions = webhook.Conditions
	Match      = webhook.Match
)

// All returns everything that there is, in the order in which --enable-api shows it.
func All() []typeplane.API { return With(Extras{}) }

// With is All with more.
func With(x Extras) []typeplane.API {
	return inOrder([]typeplane.API{
		config.API(),
		limitrange.API(),
		namespace.API(x.Namespaces...),
		quota.API(),
		serviceaccount.API(), // makes accounts in namespaces
		serviceaccount.RootCAAPI(),
		serviceaccount.TokenAPI(),
		events.API(),
		lease.API(),
		storageclass.API(),
		credential.API(),
		certificates.API(), // writes down what it signs in credentials
		webhook.API(webhook.Options{Conditions: x.Conditions, Service: x.Service}),
		garbage.API(),
		x.Policies,
		flowcontrol.API(),
		rbac.API(x.Roles),
		authorization.API(),
		authentication.API(),
	})
}

// order is that in which plug-ins are asked, as in kube-apiserver. Those that are not here come
// after them. A server puts behind its own those that want to be last.
var order = []string{
	namespace.PluginName,
	limitrange.PluginName,
	serviceaccount.PluginName,
	storageclass.PluginName,
	certificates.ApprovalName,
	certificates.SigningName,
	certificates.SubjectRestrictionName,
	"MutatingAdmissionPolicy", // Extras.Policies
	webhook.MutatingName,
	"ValidatingAdmissionPolicy", // Extras.Policies
	webhook.ValidatingName,
	quota.PluginName,
}

// inOrder has the plug-ins of all features asked in order.
func inOrder(features []typeplane.API) []typeplane.API {
	var plugins []typeplane.AdmissionPlugin
	for i := range features {
		plugins = append(plugins, features[i].Admission...)
		features[i].Admission = nil
	}
	place := func(p typeplane.AdmissionPlugin) int {
		if i := slices.Index(order, p.Name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(plugins, func(a, b typeplane.AdmissionPlugin) int { return cmp.Compare(place(a), place(b)) })
	return append(features, typeplane.API{Admission: plugins})
}
