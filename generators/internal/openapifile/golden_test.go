package openapifile_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/openapifile"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", gentest.Quiet(openapi.Plugin()), openapifile.Plugin())
}
