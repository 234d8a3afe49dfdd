package apiserver_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/gentest"
)

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", apiserver.Plugin()) }
