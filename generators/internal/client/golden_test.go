package client_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/client"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", client.Plugin()) }

// TestServed: a server of the run serves kinds of the cases.
func TestServed(t *testing.T) {
	gentest.Run(t, "testdata/served", gentest.Quiet(apiserver.Plugin()), client.Plugin())
}
