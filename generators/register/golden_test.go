package register_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/defaulter"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/register"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", register.Plugin(), gentest.Quiet(deepcopy.Plugin()), gentest.Quiet(defaulter.Plugin()), gentest.Quiet(conversion.Plugin()))
}
