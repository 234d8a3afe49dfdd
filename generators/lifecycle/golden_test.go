package lifecycle_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/lifecycle"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", lifecycle.Plugin()) }
