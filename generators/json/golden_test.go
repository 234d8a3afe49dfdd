package json

import (
	"testing"

	"github.com/typeplane/typeplane/generators/gentest"
)

func TestCases(t *testing.T) { gentest.Run(t, "testdata", Plugin()) }
