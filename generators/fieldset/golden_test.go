package fieldset_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/fieldset"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/openapi"
)

func TestCases(t *testing.T) {
	gentest.Run(t, "testdata", fieldset.Plugin(), gentest.Quiet(openapi.Plugin()), gentest.Quiet(deepcopy.Plugin()))
}
