package main

import (
	"os"
	"strconv"
	"testing"

	"github.com/typeplane/typeplane/registry/ownershiptest"
)

// TestOwners compares who owns what by generated functions with what apimachinery's managedfields
// says. OWNERSHIP_ROUNDS makes it longer.
func TestOwners(t *testing.T) {
	rounds := 300
	if text := os.Getenv("OWNERSHIP_ROUNDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	if n := ownershiptest.Compare(t, scheme(t), newServer().OpenAPI, rounds, 1); n < 2*rounds && !t.Failed() {
		t.Errorf("only %d of the writes were compared", n)
	}
}
