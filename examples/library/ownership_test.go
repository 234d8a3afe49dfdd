package main

import (
	"testing"

	"github.com/typeplane/typeplane/registry/ownershiptest"
	"github.com/typeplane/typeplane/runtime"
)

// TestOwners compares who owns what by generated functions with what apimachinery's managedfields
// says, in all versions.
func TestOwners(t *testing.T) {
	b := runtime.NewBuilder()
	server := newServer()
	server.AddToScheme(b)
	scheme, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if n := ownershiptest.Compare(t, scheme, server.OpenAPI, 1500, 1); n < 1500 && !t.Failed() {
		t.Errorf("only %d of the writes were compared", n)
	}
}
