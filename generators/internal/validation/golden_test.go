package validation_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", validation.Plugin()) }

// TestInlined has a copy of the runtime in place of an import.
func TestInlined(t *testing.T) {
	plugin := validation.Plugin()
	generate := plugin.Generate
	plugin.Generate = func(pass *generators.Pass) {
		pass.InlineRuntime = true
		generate(pass)
	}
	gentest.Run(t, "testdata/inline", plugin)
}
