// Package crd compares the CustomResourceDefinitions of generators/internal/crd/testdata with those
// that controller-gen makes of the same types.
package crd
