// Package rules has rules in CEL above a type, and what gen makes of them: Go, or calls of module
// cel. Its test asks cel-go about the same documents: all have to agree.
//
// +k8s:validation-gen=TypesWithField=Spec
package rules
