package conversion_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/register"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", conversion.Plugin(), gentest.Quiet(register.Plugin()))
}

// TestInlined has a copy of the runtime in place of an import.
func TestInlined(t *testing.T) {
	plugin := conversion.Plugin()
	generate := plugin.Generate
	plugin.Generate = func(pass *generators.Pass) {
		pass.InlineRuntime = true
		generate(pass)
	}
	gentest.Run(t, "testdata/inline", plugin, gentest.Quiet(register.Plugin()))
}
