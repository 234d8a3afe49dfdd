// Package applyconfiguration is the plug-in for apply configurations: the kinds once more with all
// fields optional, so that a program says what it wants to own and nothing else.
//
// What is printed has the names, the layout and the behaviour of what applyconfiguration-gen of
// k8s.io/code-generator prints. The schemas that Extract functions and clientsets for tests need
// come from the same types (package openapi); nothing of the user is compiled or run for them.
//
// Start reading at Plugin. plan.go decides which types get one and what they are made of, the emit
// files print, schema.go makes the schemas.
package applyconfiguration
