// Package shapes has a type with a field of every shape that JSON functions are printed for, and
// its functions, which are compared with encoding/json and sigs.k8s.io/json on what a fuzzer thinks
// of.
//
// +typeplane:json-gen=package
package shapes
