// Package boot assembles a server: it joins storage, registry and HTTP from options and flags, and runs them.
//
// A generated main hands Main a Server (the kinds, versions and strategies that the types declare); everything else
// here is the order of starting and stopping. Start reading at Run. This package decides nothing about objects:
// what a request means is in package server, what a write does is in package registry.
package boot
