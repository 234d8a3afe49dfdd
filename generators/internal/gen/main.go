// Package gen is the command gen: its flags, and the list of plug-ins. Start reading at Main.
package gen

import (
	"io"
	"os"
	"runtime/debug"

	"github.com/typeplane/typeplane/generators/internal/apiserver"
	"github.com/typeplane/typeplane/generators/internal/applyconfiguration"
	"github.com/typeplane/typeplane/generators/internal/client"
	"github.com/typeplane/typeplane/generators/internal/conversion"
	"github.com/typeplane/typeplane/generators/internal/crd"
	"github.com/typeplane/typeplane/generators/internal/deepcopy"
	"github.com/typeplane/typeplane/generators/internal/defaulter"
	"github.com/typeplane/typeplane/generators/internal/docs"
	"github.com/typeplane/typeplane/generators/internal/fieldset"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/guard"
	"github.com/typeplane/typeplane/generators/internal/informer"
	"github.com/typeplane/typeplane/generators/internal/json"
	"github.com/typeplane/typeplane/generators/internal/lifecycle"
	"github.com/typeplane/typeplane/generators/internal/lister"
	"github.com/typeplane/typeplane/generators/internal/manifests"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/openapifile"
	"github.com/typeplane/typeplane/generators/internal/protobuf"
	"github.com/typeplane/typeplane/generators/internal/register"
	"github.com/typeplane/typeplane/generators/internal/roundtrip"
	"github.com/typeplane/typeplane/generators/internal/transcode"
	"github.com/typeplane/typeplane/generators/internal/typescript"
	"github.com/typeplane/typeplane/generators/internal/validation"
)

// plugins run in this order.
func plugins() []generators.Plugin {
	return []generators.Plugin{
		deepcopy.Plugin(),
		defaulter.Plugin(),
		conversion.Plugin(),
		protobuf.Plugin(),
		json.Plugin(),
		transcode.Plugin(),
		register.Plugin(),
		lifecycle.Plugin(),
		validation.Plugin(),
		openapi.Plugin(),
		fieldset.Plugin(),
		apiserver.Plugin(),
		docs.Plugin(),
		openapifile.Plugin(),
		typescript.Plugin(),
		manifests.Plugin(),
		crd.Plugin(),
		client.Plugin(),
		lister.Plugin(),
		informer.Plugin(),
		applyconfiguration.Plugin(),
		roundtrip.Plugin(),
		guard.Plugin(),
	}
}

// Main runs the command with its arguments, and returns its exit status.
func Main(args []string, out, errors io.Writer) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300) // a short life and a small heap: a sixth less CPU for k8s.io/api, in 150 MB
	}
	return run(args, out, errors)
}
