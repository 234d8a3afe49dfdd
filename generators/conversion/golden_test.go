package conversion_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/register"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", conversion.Plugin(), gentest.Quiet(register.Plugin()))
}
