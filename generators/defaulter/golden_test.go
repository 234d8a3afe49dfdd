package defaulter_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/defaulter"
	"github.com/typeplane/typeplane/generators/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", defaulter.Plugin()) }
