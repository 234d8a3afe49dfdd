package manifests_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/manifests"
)

func TestGolden(t *testing.T) {
	// It is there for its tags.
	server := apiserver.Plugin()
	server.Outputs, server.Generate = nil, func(*generators.Pass) {}
	gentest.Run(t, "testdata", server, manifests.Plugin())
}
