package typescript_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/typescript"
)

func TestGolden(t *testing.T) {
	gentest.Run(t, "testdata", typescript.Plugin())
}
