// Package crd holds the CustomResourceDefinitions of generators/crd/testdata against those that
// controller-gen makes of the same types.
package crd
