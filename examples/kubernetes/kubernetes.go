// Package kubernetes is the API server of a cluster of Kubernetes: it serves what kube-scheduler,
// kube-controller-manager and kubelets work with.
//
// The kinds are types of k8s.io/api, served through aliases with markers in api. Their rules are
// here. The kinds of the control plane, like namespaces and roles, come from package features.
// Start reading at Program. The program is in server, a module of its own, since it links policies,
// whose language others need not link.
//
// +typeplane:apiserver
package kubernetes

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/examples/kubernetes/roles"
	"github.com/typeplane/typeplane/features"
)

//go:generate go run github.com/typeplane/typeplane/cmd/gen ./...

// Program returns the server. What more has beside is served, too.
func Program(more features.Extras) typeplane.Server {
	more.Namespaces, more.Roles = []string{corev1.NamespaceNodeLease}, roles.OfCluster()
	return typeplane.Server{
		Name:      "kubernetes",
		APIs:      append([]typeplane.API{typeplane.Own(API())}, append(features.With(more), evictions(), connections(), standing())...),
		Admission: plugins(),
	}
}
