package apiserver_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/json"
	"github.com/typeplane/typeplane/generators/protobuf"
	"github.com/typeplane/typeplane/generators/register"
	"github.com/typeplane/typeplane/generators/validation"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", apiserver.Plugin()) }

// TestWired has cases in which the registration names what other generators print.
func TestWired(t *testing.T) {
	gentest.Run(t, "testdata/wired",
		gentest.Quiet(deepcopy.Plugin()), gentest.Quiet(conversion.Plugin()), gentest.Quiet(protobuf.Plugin()), gentest.Quiet(json.Plugin()),
		gentest.Quiet(validation.Plugin()), gentest.Quiet(register.Plugin()),
		apiserver.Plugin())
}
