// Package informer is the plug-in for informers: caches that follow the kinds of a server, and the
// factory that shares them in a program.
//
// What is printed has the names, the layout and the behaviour of what informer-gen of
// k8s.io/code-generator prints, over the informers of client-go.
//
// Start reading at Plugin. Package clients decides, the emit files print: one for each file.
package informer
