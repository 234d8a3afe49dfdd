package json

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestCases(t *testing.T) { gentest.Run(t, "testdata", Plugin()) }
