// Package client is the plug-in for typed clients: a clientset, a client for each version of a
// group, their scheme, and fakes of them all for tests.
//
// What is printed has the names, the layout and the behaviour of what client-gen of
// k8s.io/code-generator prints, over the generic client of client-go (package gentype). The user's
// module requires client-go; this one does not.
//
// Start reading at Plugin. Package clients decides, the emit files print: one for each file.
package client
