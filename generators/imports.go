package generators

import (
	"fmt"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/load"
)

// checkImports reports files that would not compile because no required module has what they import: a tag may be left
// over from other tools in a module that has nothing to do with Kubernetes' libraries.
func checkImports(set *load.Set, files []*emit.File, report *diag.Report) {
	paths := map[string]bool{}
	for _, f := range files {
		for ident := range f.Mentioned() {
			paths[ident.Path] = true
		}
	}
	var sorted []string
	for path := range paths {
		sorted = append(sorted, path)
	}
	slices.Sort(sorted)
	lost := set.Unreachable(sorted)
	if len(lost) == 0 {
		return
	}
	for _, f := range files {
		needs := ""
		for ident := range f.Mentioned() {
			if lost[ident.Path] != "" && (needs == "" || ident.Path < needs) {
				needs = ident.Path
			}
		}
		pkg := set.Package(f.PkgPath)
		if needs == "" || pkg == nil {
			continue
		}
		report.Add(diag.Problem{
			Pos: set.PackagePos(pkg), Path: "package " + pkg.Name,
			Message: fmt.Sprintf("%s would import %s: %s", f.Name, needs, lost[needs]),
			Cure:    cure(needs),
		})
	}
}

// runtimeModule is what printed code leans on.
const runtimeModule = "github.com/typeplane/typeplane/runtime"

func cure(needs string) string {
	if strings.HasPrefix(needs+"/", runtimeModule+"/") {
		return "run go get " + runtimeModule + ", or gen --inline-runtime for protobuf code that imports nothing of it"
	}
	return fmt.Sprintf("run go get %s, take the tag away that asks for the file, or choose with --generators", needs)
}
