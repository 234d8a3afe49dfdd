package load_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/gentest"
)

// TestGolden shows by deep copies what is read and what is not.
func TestGolden(t *testing.T) { gentest.Run(t, "testdata", deepcopy.Plugin()) }
