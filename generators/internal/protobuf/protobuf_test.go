package protobuf_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
)

func TestGolden(t *testing.T) { gentest.RunWith(t, "testdata", againstProto, protobuf.Plugin()) }

// TestInlined has a copy of the runtime in place of an import.
func TestInlined(t *testing.T) {
	plugin := protobuf.Plugin()
	generate := plugin.Generate
	plugin.Generate = func(pass *generators.Pass) {
		pass.InlineRuntime = true
		generate(pass)
	}
	gentest.RunWith(t, "testdata/inline", againstProto, plugin)
}
