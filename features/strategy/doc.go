// Package strategy has parts of strategies for Kubernetes' pods, volumes, claims and deployments:
// what every server of them does by itself. It sets what clients may not, fills in what follows
// from the rest of an object, and says what is odd about one.
//
// A program embeds them into its own strategies, and adds its rules:
//
//	type PodStrategy struct{ strategy.Pod }
//
// Warnings are for strategies of other kinds, too, which have templates of pods or addresses.
//
// Start reading at Pod. What is done is what a kube-apiserver 1.37 does; package test/kuberules
// compares the two.
package strategy
