package generators

import (
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

const (
	// runtimeModule is what printed code leans on.
	runtimeModule = "github.com/typeplane/typeplane/runtime"

	levelPackage = runtimeModule + "/level"
	levelName    = "Level1_go_get_u_github_com_typeplane_typeplane_runtime"
)

// stateLevel makes files that import the runtime name the level of it that they need, so that they
// do not compile with one that lacks it. The runtime's own files always fit.
func stateLevel(files []*emit.File) {
	for _, f := range files {
		if inRuntime(f.PkgPath) || !slices.ContainsFunc(slices.Collect(f.Imported()), inRuntime) {
			continue
		}
		f.P()
		f.P("// Where this is undefined, the runtime is too old or too new: its name says the command, or run gen again.")
		f.P("const _ = ", emit.Ident{Path: levelPackage, Name: levelName})
	}
}

// inRuntime tells whether a package belongs to the runtime module.
func inRuntime(path string) bool { return strings.HasPrefix(path+"/", runtimeModule+"/") }
