package docs_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/docs"
	"github.com/typeplane/typeplane/generators/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", docs.Plugin()) }
