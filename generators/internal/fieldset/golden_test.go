package fieldset_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/fieldset"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/openapi"
)

func TestCases(t *testing.T) {
	gentest.Run(t, "testdata", fieldset.Plugin(), gentest.Quiet(openapi.Plugin()), gentest.Quiet(deepcopy.Plugin()))
}
