// Package shapes has a type with a field of every shape that JSON functions are printed for.
// Tests compare its functions with encoding/json and sigs.k8s.io/json on random values.
//
// +typeplane:json-gen=package
package shapes
