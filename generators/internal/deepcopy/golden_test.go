package deepcopy_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", deepcopy.Plugin()) }

// TestInlined has what the runtime has for metadata in each file, as in a module that does not
// require it.
func TestInlined(t *testing.T) {
	plugin := deepcopy.Plugin()
	generate := plugin.Generate
	plugin.Generate = func(pass *generators.Pass) {
		pass.InlineRuntime = true
		generate(pass)
	}
	gentest.Run(t, "testdata/inline", plugin)
}
