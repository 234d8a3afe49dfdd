// Package selection says which objects of a resource a request is about.
//
// Keys are where they lie in the store. A Selector is what labels and fields a client wants. A
// Scope is the part of the store that can have such objects. NewQuery is the table of what
// resourceVersion, resourceVersionMatch, limit and continue mean together (query.go); continue.go
// has the tokens between two pages.
//
// This package reads no store. It decodes an object only where its bytes don't tell.
package selection
