package manifests_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/gentest"
	"github.com/typeplane/typeplane/generators/manifests"
)

// plugins are this one, and the one of servers for its tags.
func plugins() []generators.Plugin {
	server := apiserver.Plugin()
	server.Outputs, server.Generate = nil, func(pass *generators.Pass) { apiserver.Programs(pass) }
	return []generators.Plugin{server, manifests.Plugin()}
}

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", plugins()...) }
