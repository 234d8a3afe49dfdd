package openapi_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/openapi"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", openapi.Plugin()) }
