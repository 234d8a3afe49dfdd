package informer_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/informer"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", informer.Plugin()) }
