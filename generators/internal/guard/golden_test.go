package guard_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/guard"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/register"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", guard.Plugin(), gentest.Quiet(deepcopy.Plugin()), gentest.Quiet(defaulter.Plugin()),
		gentest.Quiet(conversion.Plugin()), gentest.Quiet(protobuf.Plugin()), gentest.Quiet(openapi.Plugin()), gentest.Quiet(register.Plugin()))
}
