// Package strategy has parts of strategies for Kubernetes' pods, volumes, claims and deployments:
// what every server of them does by itself. It sets what clients may not, and fills in what follows
// from the rest of an object.
//
// A program embeds them into its own strategies, and adds its rules:
//
//	type PodStrategy struct{ strategy.Pod }
//
// Start reading at Pod. What is done is what a kube-apiserver 1.37 does; package test/kuberules
// compares the two.
package strategy

// described is part of the strategies of kinds whose metadata can be written together with the
// status: the older ones.
type described struct{}

// StatusMetadata says that a write of the status writes the metadata, too.
func (described) StatusMetadata() bool { return true }

// uncounted is part of the strategies of kinds whose changes Kubernetes does not count.
type uncounted struct{}

// HasGeneration says that changes are not counted.
func (uncounted) HasGeneration() bool { return false }
