package validation_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/validation"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", validation.Plugin()) }
