package lister_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/lister"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", lister.Plugin()) }
