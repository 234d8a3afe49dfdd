// Command cluster is an API server for the kinds that every text about Kubernetes begins with: pods, replication controllers,
// namespaces, and autoscalers in three versions of two groups.
//
// Pods, replication controllers and namespaces are the types of k8s.io/api, served through aliases with markers (see
// api/core/v1); what Kubernetes says about them in code, their rules and columns, is in one file for each: pod.go,
// replicationcontroller.go and namespace.go. Autoscalers are types of our own in api/. Nothing here runs a pod or
// follows a replication controller: this is the API server, without the controllers of a cluster.
//
// +typeplane:apiserver
package main

import "github.com/typeplane/typeplane/boot"

//go:generate go run github.com/typeplane/typeplane/cmd/gen ./...

func main() { boot.Main(newServer()) }
