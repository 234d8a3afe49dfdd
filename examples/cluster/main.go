// Command cluster is an API server for well-known kinds of Kubernetes. It serves pods,
// replication controllers, deployments, persistent volumes and claims, and autoscalers in three
// versions of two groups. The kinds of the control plane, like namespaces and quotas, come from
// package features.
//
// Most are types of k8s.io/api, served through aliases with markers (see api/core/v1 and
// api/apps/v1). What Kubernetes says about them in code, their rules and columns, is in one file
// for each: pod.go, deployment.go and so on. What can be done with a pod besides is in
// pod_binding.go and pod_console.go. Autoscalers are types of our own in api/. Nothing here runs a
// pod or follows a replication controller: this is the API server, without the controllers of a
// cluster. Folder controller, a module of its own, has two of these.
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

// program is the server of the kinds in this folder, with those of the control plane beside them.
// Whoever runs pods for it says in kube-node-lease that a node is alive, as with a kube-apiserver.
func program() typeplane.Server {
	s := release(newServer())
	s.APIs = append(features.With(features.Extras{Namespaces: []string{corev1.NamespaceNodeLease}}), bindings(), dropConsoles())
	return s
}
