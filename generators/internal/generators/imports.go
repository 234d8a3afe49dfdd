package generators

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// checkImports reports files that would not compile because no required module has what they
// import. A tag may be left over from other tools, in a module that has nothing to do with
// Kubernetes' libraries.
func checkImports(m *model.Model, files []*emit.File, report *diag.Report) {
	checkInternal(m, files, report)
	paths := map[string]bool{}
	for _, f := range files {
		for path := range f.Imported() {
			paths[path] = true
		}
	}
	var sorted []string
	for path := range paths {
		sorted = append(sorted, path)
	}
	slices.Sort(sorted)
	lost := m.Unreachable(sorted)
	if len(lost) == 0 {
		return
	}
	for _, f := range files {
		needs := ""
		for path := range f.Imported() {
			if lost[path] != "" && (needs == "" || path < needs) {
				needs = path
			}
		}
		pkg := m.Package(cmp.Or(f.AskedBy, f.PkgPath))
		if needs == "" || pkg == nil {
			continue
		}
		report.Add(diag.Problem{
			Pos: m.PackagePos(pkg), Path: "package " + pkg.Name,
			Message: fmt.Sprintf("%s would import %s: %s", f.Name, needs, lost[needs]),
			Cure:    cure(needs),
		})
	}
}

// checkInternal reports files that would import a package that is internal to others: the types in
// it are part of what the file is about.
func checkInternal(m *model.Model, files []*emit.File, report *diag.Report) {
	for _, f := range files {
		pkg := m.Package(cmp.Or(f.AskedBy, f.PkgPath))
		for _, path := range slices.Sorted(f.Imported()) {
			if pkg != nil && !mayImport(f.PkgPath, path) {
				report.Add(diag.Problem{
					Pos: m.PackagePos(pkg), Path: "package " + pkg.Name,
					Message: fmt.Sprintf("%s would import %s, which is internal to other packages", f.Name, path),
					Cure:    "move the types out of the internal folder, or the folder up",
				})
			}
		}
	}
}

// mayImport says whether the go command lets a package import another one.
func mayImport(from, path string) bool {
	at := strings.LastIndex("/"+path+"/", "/internal/")
	if at < 0 {
		return true
	}
	around := strings.TrimSuffix(path[:at], "/")
	return from == around || strings.HasPrefix(from, around+"/")
}

func cure(needs string) string {
	if inRuntime(needs) {
		return "run go get " + runtimeModule + ", or gen --inline-runtime for protobuf code that imports nothing of it"
	}
	return fmt.Sprintf("run go get %s, take the tag away that asks for the file, or choose with --generators", needs)
}
