package main

import (
	"flag"
	"testing"

	"github.com/typeplane/typeplane/internal/registrytest"
)

var addStored = flag.String("update", "", "the `name` of a release: write what servers of today store as a new set of testdata/stored")

// TestStored reads what every release has stored. Before a release: go test -run TestStored
// . -update v1.2
func TestStored(t *testing.T) {
	registrytest.RunStored(t, registrytest.StoredConfig{
		Scheme: scheme(t), Resources: newServer().Resources, Dir: "testdata/stored", Add: *addStored,
		Repeats: []string{"serviceAccount", "podIPs"}, // serviceAccountName and podIP count
	})
}
