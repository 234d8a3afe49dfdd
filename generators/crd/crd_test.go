package crd_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/crd"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/openapi"
)

// plugins are this one, and those that read the other tags of the cases.
func plugins() []generators.Plugin {
	server, schemas := apiserver.Plugin(), openapi.Plugin()
	server.Outputs, server.Generate = nil, func(pass *generators.Pass) { apiserver.Programs(pass) }
	schemas.Outputs, schemas.Generate = nil, func(pass *generators.Pass) {
		for _, pkg := range pass.Packages {
			openapi.Schemas(pass, pkg)
		}
	}
	return []generators.Plugin{server, schemas, crd.Plugin()}
}

// What the cases want is what controller-gen makes of them: see test/crd.
func TestGolden(t *testing.T) { gentest.Run(t, "testdata", plugins()...) }
