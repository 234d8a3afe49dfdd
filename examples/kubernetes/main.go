// Command kubernetes is the API server of a cluster of Kubernetes: it serves what kube-scheduler,
// kube-controller-manager and kubelets work with.
//
// The kinds are types of k8s.io/api, served through aliases with markers in api. Their rules are
// beside main. The kinds of the control plane, like namespaces and roles, come from package
// features.
//
// +typeplane:apiserver
package main

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/typeplane/typeplane"
	"github.com/typeplane/typeplane/features"
)

//go:generate go run github.com/typeplane/typeplane/cmd/gen ./...

func main() { typeplane.Main(program()) }

func program() typeplane.Server {
	s := newServer()
	s.APIs = append(features.With(features.Extras{Namespaces: []string{corev1.NamespaceNodeLease}}), evictions(), standing())
	s.Admission = plugins()
	return s
}
