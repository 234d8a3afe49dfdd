package protobuf_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/protobuf"
)

func TestGolden(t *testing.T) { gentest.RunWith(t, "testdata", againstProto, protobuf.Plugin()) }
