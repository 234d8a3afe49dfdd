package load_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

// TestGolden shows by deep copies what is read and what is not.
func TestGolden(t *testing.T) { gentest.Run(t, "testdata", deepcopy.Plugin()) }
