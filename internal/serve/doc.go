// Package serve assembles a server and runs it: it joins storage, registry and HTTP.
//
// A generated main hands Main a Server, which package program has with its options and flags.
// Package database opens what the objects are kept in. Here is the order of starting and stopping:
// start reading at Run. What a request means is in package server, what a write does in package
// registry.
package serve
