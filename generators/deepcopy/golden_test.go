package deepcopy_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", deepcopy.Plugin()) }
