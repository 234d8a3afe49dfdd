package apiserver_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/json"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/register"
	"github.com/typeplane/typeplane/generators/internal/transcode"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// serving are this plug-in, and those whose functions a server calls without a tag for each.
func serving(more ...generators.Plugin) []generators.Plugin {
	out := []generators.Plugin{gentest.Quiet(deepcopy.Plugin()), gentest.Quiet(json.Plugin()), gentest.Quiet(openapi.Plugin()), gentest.Quiet(defaulter.Plugin()), gentest.Quiet(validation.Plugin())}
	return append(append(out, more...), apiserver.Plugin())
}

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", serving()...) }

// TestWired has cases in which the registration names what other generators print.
func TestWired(t *testing.T) {
	gentest.Run(t, "testdata/wired", serving(gentest.Quiet(conversion.Plugin()), gentest.Quiet(protobuf.Plugin()), gentest.Quiet(transcode.Plugin()),
		gentest.Quiet(register.Plugin()))...)
}
