// Package registrytest checks what is served against what is stored, for any kind.
//
// RunCanonical puts values of every kind of age straight into a database and compares the answers
// of a resource with a slow way of its own to compute them. It is for the tests of kinds: whoever
// defines a resource can run it with the generated scheme. It imports package testing and belongs
// into tests only.
package registrytest
