package transcode_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/json"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/transcode"
)

func TestCases(t *testing.T) {
	gentest.Run(t, "testdata", gentest.Quiet(json.Plugin()), gentest.Quiet(protobuf.Plugin()), transcode.Plugin())
}
