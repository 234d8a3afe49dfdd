package lifecycle_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/lifecycle"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", lifecycle.Plugin()) }
