package docs_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/docs"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", docs.Plugin()) }
