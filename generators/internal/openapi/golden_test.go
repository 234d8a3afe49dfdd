package openapi_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", openapi.Plugin()) }
