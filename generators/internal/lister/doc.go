// Package lister is the plug-in for listers: what reads kinds from the cache of an informer.
//
// What is printed has the names, the layout and the behaviour of what lister-gen of
// k8s.io/code-generator prints, over the generic lister of client-go.
//
// Start reading at Plugin. Package clients decides, emit.go prints.
package lister
