package roundtrip_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/defaulter"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/protobuf"
	"github.com/typeplane/typeplane/generators/roundtrip"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", roundtrip.Plugin(), gentest.Quiet(deepcopy.Plugin()), gentest.Quiet(defaulter.Plugin()),
		gentest.Quiet(conversion.Plugin()), gentest.Quiet(protobuf.Plugin()))
}
