package manifests_test

import (
	"testing"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/gentest"
	"github.com/typeplane/typeplane/generators/internal/manifests"
)

// plugins are this plug-in, and that of servers for its tags.
func plugins() []generators.Plugin {
	server := apiserver.Plugin()
	server.Outputs, server.Generate = nil, func(pass *generators.Pass) { apiserver.Programs(pass) }
	return []generators.Plugin{server, manifests.Plugin()}
}

func TestGolden(t *testing.T) { gentest.Run(t, "testdata", plugins()...) }
