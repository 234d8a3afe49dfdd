package defaulter_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", defaulter.Plugin()) }
