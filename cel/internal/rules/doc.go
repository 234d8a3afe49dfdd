// Package rules has rules in CEL above a type, and what gen compiles them to. Its test asks cel-go
// about the same objects: both have to be of one opinion. It is in this module because that is
// where cel-go is.
//
// +k8s:validation-gen=TypesWithField=Spec
package rules
