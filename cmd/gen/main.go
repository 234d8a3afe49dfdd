// Command gen generates code from annotated Go types; see package generators.
//
//	gen [flags] PACKAGES…
//	gen tags [--markdown]
//
// It prints problems as file:line:col: what: why; cure. The exit status is 0 if all is well, 1 if
// there are problems or, with --verify, files are out of date, and 2 if it was called wrongly.
package main

import (
	"os"
	"runtime/debug"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/apiserver"
	"github.com/typeplane/typeplane/generators/conversion"
	"github.com/typeplane/typeplane/generators/crd"
	"github.com/typeplane/typeplane/generators/deepcopy"
	"github.com/typeplane/typeplane/generators/defaulter"
	"github.com/typeplane/typeplane/generators/docs"
	"github.com/typeplane/typeplane/generators/fieldset"
	"github.com/typeplane/typeplane/generators/guard"
	"github.com/typeplane/typeplane/generators/json"
	"github.com/typeplane/typeplane/generators/lifecycle"
	"github.com/typeplane/typeplane/generators/manifests"
	"github.com/typeplane/typeplane/generators/openapi"
	"github.com/typeplane/typeplane/generators/protobuf"
	"github.com/typeplane/typeplane/generators/register"
	"github.com/typeplane/typeplane/generators/roundtrip"
	"github.com/typeplane/typeplane/generators/validation"
)

// plugins run in this order.
func plugins() []generators.Plugin {
	return []generators.Plugin{
		deepcopy.Plugin(),
		defaulter.Plugin(),
		conversion.Plugin(),
		protobuf.Plugin(),
		json.Plugin(),
		register.Plugin(),
		lifecycle.Plugin(),
		validation.Plugin(),
		openapi.Plugin(),
		fieldset.Plugin(),
		apiserver.Plugin(),
		docs.Plugin(),
		manifests.Plugin(),
		crd.Plugin(),
		roundtrip.Plugin(),
		guard.Plugin(),
	}
}

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300) // a short life and a small heap: a sixth less CPU for k8s.io/api, in 150 MB
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
