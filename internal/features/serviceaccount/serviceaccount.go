// Package serviceaccount has the service accounts of Kubernetes, and what a server does for
// them. Every namespace has one called default, and the authorities by which its pods know the
// server (everywhere.go, rootca.go). Every new pod runs as one, by the admission plug-in
// ServiceAccount (pods.go). Clients with the right get tokens for one (token.go).
//
// Start reading at API. The kinds are in the folders below, their rules are in strategy.go. The
// package never makes secrets with tokens that live for ever.
//
// +typeplane:apiserver
package serviceaccount

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission"
	"github.com/typeplane/typeplane/internal/features/internal/reader"
	"github.com/typeplane/typeplane/internal/features/namespace"
	authenticationv1 "github.com/typeplane/typeplane/internal/features/serviceaccount/authentication/v1"
	"github.com/typeplane/typeplane/registry/rest"
)

// defaultAccount is that of pods which name none. It is made with its namespace, soon after it.
const defaultAccount = "default"

// The loops by the names that they have in a kube-controller-manager.
const (
	accountController = "serviceaccount-controller"
	rootCAController  = "root-ca-certificate-publisher-controller"
)

// tokenPart is what --enable-api calls the subresource for tokens.
const tokenPart = "serviceaccounts/token"

var v1 = schema.GroupVersion{Version: "v1"}

// API returns service accounts for a server that asks for them, with the plug-in that pods get
// theirs from. Accounts are made where namespaces are served, so those come first.
func API() typeplane.API {
	api := newAPI()
	api.Admission = []typeplane.AdmissionPlugin{{Name: PluginName, Needs: []schema.GroupVersionResource{v1.WithResource("serviceaccounts")}, New: newPlugin}}
	api.Controllers = []string{accountController}
	api.Extend = extend
	return api
}

// TokenAPI gives service accounts their tokens, where they are served.
func TokenAPI() typeplane.API {
	return typeplane.API{
		Virtual: []string{tokenPart},
		OpenAPI: map[schema.GroupVersion]string{v1: authenticationv1.OpenAPISchemas},
		Extend: func(_ context.Context, h *typeplane.Host) error {
			served := func(plural string) *rest.Resource { return h.Resource(v1.WithResource(plural), "") }
			if accounts := served("serviceaccounts"); accounts != nil && h.Signer != nil {
				t := &tokens{signer: h.Signer, audiences: h.Audiences, objects: served}
				h.Resources = append(h.Resources, t.resource(accounts))
			}
			return nil
		},
	}
}

// RootCAAPI has every namespace get the authorities by which its pods know the server, where there
// are namespaces and config maps.
func RootCAAPI() typeplane.API {
	return typeplane.API{Controllers: []string{rootCAController}, Extend: func(_ context.Context, h *typeplane.Host) error {
		namespaces, configMaps := h.Resource(v1.WithResource("namespaces"), ""), h.Resource(v1.WithResource("configmaps"), "")
		if namespaces != nil && configMaps != nil && len(h.RootCA) > 0 && h.Controls(rootCAController) {
			h.Alone("typeplane-control", authorities(*namespaces, *configMaps, h.RootCA, h.Log).run)
		}
		return nil
	}}
}

// extend has every namespace get its account.
func extend(ctx context.Context, h *typeplane.Host) error {
	namespaces, accounts := h.Resource(v1.WithResource("namespaces"), ""), h.Resource(v1.WithResource("serviceaccounts"), "")
	if namespaces == nil || accounts == nil || !h.Controls(accountController) {
		return nil
	}
	ours := &everywhere[corev1.ServiceAccount]{namespaces: *namespaces, objects: *accounts, name: defaultAccount, create: newDefault, log: h.Log}
	// Nobody who makes a pod there, the moment that the server answers, has to wait for a loop.
	for _, standing := range namespace.Standing {
		if err := ours.keep(ctx, standing); err != nil {
			return fmt.Errorf("create the service account %q of the namespace %q: %w", defaultAccount, standing, err)
		}
	}
	h.Alone("typeplane-control", ours.run)
	return nil
}

func newDefault(namespace string) rest.Body {
	return &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: defaultAccount}}
}

func newPlugin(_ context.Context, h *typeplane.Host, _ []byte) (admission.Plugin, error) {
	accounts := h.Resource(v1.WithResource("serviceaccounts"), "").Get
	return New(Config{
		Account: func(ctx context.Context, namespace, name string, live bool) (*corev1.ServiceAccount, error) {
			account := new(corev1.ServiceAccount)
			return account, reader.Get(ctx, accounts, rest.Name{Namespace: namespace, Name: name}, live, account)
		},
	}), nil
}
