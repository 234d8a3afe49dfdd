package features

import (
	"context"
	"os"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/admission/namespacelifecycle"
	"github.com/typeplane/typeplane/control/namespace"
	"github.com/typeplane/typeplane/control/rootca"
	"github.com/typeplane/typeplane/control/serviceaccount"
	"github.com/typeplane/typeplane/features/core"
	authenticationv1 "github.com/typeplane/typeplane/features/core/authentication/v1"
	"github.com/typeplane/typeplane/features/internal/leader"
	"github.com/typeplane/typeplane/registry/rest"
)

// coreAPI is the group without a name, with what has to be done for its kinds; more are the
// namespaces that the program makes.
func coreAPI(more []string) typeplane.API {
	api := core.API()
	api.Extend = func(ctx context.Context, h *typeplane.Host) error { return extendCore(ctx, h, more) }
	return api
}

// tokenPart is what --enable-api calls the subresource for tokens.
const tokenPart = "serviceaccounts/token"

// tokenAPI gives service accounts their tokens, where they are served.
func tokenAPI() typeplane.API {
	return typeplane.API{
		Virtual: []string{tokenPart},
		OpenAPI: map[schema.GroupVersion]string{{Version: "v1"}: authenticationv1.OpenAPISchemas},
		Extend: func(_ context.Context, h *typeplane.Host) error {
			served := func(plural string) *rest.Resource {
				return h.Resource(schema.GroupVersionResource{Version: "v1", Resource: plural}, "")
			}
			if accounts := served("serviceaccounts"); accounts != nil && h.Signer != nil {
				tokens := &serviceaccount.Tokens{Signer: h.Signer, Audiences: h.Audiences, Objects: served}
				h.Resources = append(h.Resources, tokens.Resource(accounts))
			}
			return nil
		},
	}
}

func extendCore(ctx context.Context, h *typeplane.Host, more []string) error {
	var loops []func(context.Context)
	if namespaces := namespace.New(h.Resources, h.Log); namespaces != nil {
		if err := namespaces.MakeStanding(ctx, h.Scheme, more...); err != nil {
			return err
		}
		namespace.KeepAll(h.Resources)
		loops = append(loops, func(ctx context.Context) { namespaces.Run(ctx, h.Resources) })
	}
	if accounts := serviceaccount.New(h.Resources, h.Log); accounts != nil {
		if err := accounts.MakeStanding(ctx, namespacelifecycle.Standing); err != nil {
			return err
		}
		loops = append(loops, accounts.Run)
	}
	if publisher := rootca.New(h.Resources, h.RootCA, h.Log); publisher != nil {
		loops = append(loops, publisher.Run)
	}
	if len(loops) > 0 {
		h.Go(alone(h, "typeplane-control", func(ctx context.Context) { runAll(ctx, loops) }))
	}
	return nil
}

// alone has a loop run in one of the servers that share their objects, the one that holds the
// lease. Where leases are not served it runs in each of them: the loops bear that, it is only more
// work.
func alone(h *typeplane.Host, lease string, loop func(context.Context)) func(context.Context) {
	leases := h.Resource(schema.GroupVersionResource{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"}, "")
	namespaces := h.Enabled("namespaces")
	if !h.Shared || leases == nil || !namespaces {
		return loop
	}
	host, err := os.Hostname()
	if err != nil {
		host = "typeplane"
	}
	config := leader.Config{Leases: leases, Namespace: "kube-system", Name: lease, Identity: host + "_" + uuid.NewString(), Log: h.Log}
	return func(ctx context.Context) { leader.Run(ctx, config, loop) }
}

// runAll runs loops beside each other until all have ended.
func runAll(ctx context.Context, loops []func(context.Context)) {
	done := make(chan struct{})
	for _, loop := range loops {
		go func() {
			defer func() { done <- struct{}{} }()
			loop(ctx)
		}()
	}
	for range loops {
		<-done
	}
}
