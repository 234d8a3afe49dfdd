package conversion_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", conversion.Plugin()) }
