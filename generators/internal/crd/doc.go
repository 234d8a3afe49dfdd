// Package crd writes CustomResourceDefinitions: what a kube-apiserver would be told to serve the
// kinds of a server itself. So one source serves both ways: a project that had its kinds in a
// cluster finds its definitions unchanged, and can go back to them.
//
// A package with +typeplane:apiserver asks for it with +typeplane:crd. There is one file for each
// kind, called and laid out like those of controller-gen. The markers of controller-gen decide what
// is in it. Package openapi reads them for the schemas, package apiserver for names and versions.
// Kinds of Kubernetes are left out, since a cluster has them.
//
// Check is the other direction: it compares definitions that are there with the types.
//
// Start reading at plan, which decides what is in a definition; definition.go says what it looks
// like, and compare.go how two of them differ.
package crd
