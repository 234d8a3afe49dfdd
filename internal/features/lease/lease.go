// Package lease has the leases of Kubernetes, and elects the one server that runs a loop when
// several share an etcd. The elected server holds a Lease in kube-system.
//
// Start reading at API. The kind is in the folder below, its rules are in strategy.go. The election
// is elect, in leader.go.
//
// +typeplane:apiserver
package lease

import (
	"context"
	"os"

	"github.com/google/uuid"
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/typeplane/typeplane"
)

var leases = coordinationv1.SchemeGroupVersion.WithResource("leases")

// API returns leases for a server that asks for them, and elects who leads by them.
func API() typeplane.API {
	api := newAPI()
	api.Extend = func(_ context.Context, h *typeplane.Host) error {
		if h.Shared && h.Enabled("namespaces") {
			h.Elect = elector(h)
		}
		return nil
	}
	return api
}

// elector elects a server among those that share their objects.
func elector(h *typeplane.Host) func(context.Context, string, func(context.Context)) {
	host, err := os.Hostname()
	if err != nil {
		host = "typeplane"
	}
	config := leaderConfig{Namespace: "kube-system", Identity: host + "_" + uuid.NewString(), Log: h.Log}
	return func(ctx context.Context, lease string, lead func(context.Context)) {
		of := config
		of.Leases, of.Name = h.Resource(leases, ""), lease
		elect(ctx, of, lead)
	}
}
