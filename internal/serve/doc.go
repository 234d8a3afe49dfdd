// Package serve assembles a server: it joins storage, registry and HTTP from options and flags, and
// runs them. Programs call it through package typeplane.
//
// A generated main hands Main a Server: the kinds, versions and strategies that the types declare.
// Everything else here is the order of starting and stopping. Start reading at Run. What a request
// means is in package server, what a write does in package registry.
package serve
