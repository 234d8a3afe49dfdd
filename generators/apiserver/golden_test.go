package apiserver_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/defaulter"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/json"
	"github.com/typeplane/typeplane/generators/openapi"
	"github.com/typeplane/typeplane/generators/protobuf"
	"github.com/typeplane/typeplane/generators/register"
	"github.com/typeplane/typeplane/generators/validation"
)

// serving are the plug-ins whose functions a server calls without a tag for each, and this one.
func serving(more ...generators.Plugin) []generators.Plugin {
	out := []generators.Plugin{gentest.Quiet(deepcopy.Plugin()), gentest.Quiet(json.Plugin()), gentest.Quiet(openapi.Plugin()), gentest.Quiet(defaulter.Plugin()), gentest.Quiet(validation.Plugin())}
	return append(append(out, more...), apiserver.Plugin())
}

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", serving()...) }

// TestWired has cases in which the registration names what other generators print.
func TestWired(t *testing.T) {
	gentest.Run(t, "testdata/wired", serving(gentest.Quiet(conversion.Plugin()), gentest.Quiet(protobuf.Plugin()),
		gentest.Quiet(register.Plugin()))...)
}
