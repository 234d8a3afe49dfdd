// Package boot assembles a server: it joins storage, registry and HTTP from options and flags, and
// runs them.
//
// A generated main hands Main a Server (the kinds, versions and strategies that the types declare);
// everything else here is the order of starting and stopping. Start reading at Run. What a request
// means is in package server, what a write does in package registry; this package decides one thing
// about objects, because it alone sees all resources: nothing is created in a namespace that is not
// there (namespaces.go).
package boot
