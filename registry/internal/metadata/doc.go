// Package metadata has the rules of the metadata of objects: what a request may say there, what a
// server fills in, and how much there may be.
//
// Rules are those of one resource. size.go has the bounds, dependents.go the finalizers that a
// deletion adds for the garbage collector.
package metadata
