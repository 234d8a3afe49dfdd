package informer_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/informer"
	"github.com/typeplane/typeplane/generators/internal/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", informer.Plugin()) }
