package applyconfiguration_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/applyconfiguration"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", applyconfiguration.Plugin()) }
