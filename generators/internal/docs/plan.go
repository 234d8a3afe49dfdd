package docs

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// page is one Markdown file.
type page struct {
	dir, name string
	api       *model.API
	// others are the pages of other versions of the group in the same folder, by name.
	others []page
}

// defaultFolder is below the root of the module.
const defaultFolder = "docs/api"

// plan decides which pages there are.
func plan(pass *generators.Pass) []page {
	var out []page
	done := map[string]bool{}
	for _, pkg := range pass.Packages {
		if parent := path.Dir(pkg.Path); !done[parent] {
			done[parent] = true
			out = append(out, pages(pass, siblings(pass.Model, pkg))...)
		}
	}
	for i, p := range out {
		for j, other := range out {
			if i != j && p.dir == other.dir && p.name == other.name {
				problem(pass, pass.Model.Package(p.api.Path), "asks for the page "+p.name+", and so does package "+other.api.Path,
					"give one of them another folder")
			}
		}
	}
	return out
}

// siblings are the packages of the folder that a package's folder is in, whether in the run or not.
// What a page says of a version must not depend on what else is generated at the time.
func siblings(m *model.Model, pkg *model.Package) []*model.Package {
	var out []*model.Package
	parent := filepath.Dir(pkg.Dir)
	entries, _ := os.ReadDir(parent)
	for _, e := range entries {
		importPath := path.Join(path.Dir(pkg.Path), e.Name())
		if importPath != pkg.Path && (!e.IsDir() || !mayHaveGroup(filepath.Join(parent, e.Name()))) {
			continue
		}
		if p := m.Package(importPath); p != nil && p.Main {
			out = append(out, p)
		}
	}
	if !slices.Contains(out, pkg) {
		out = append(out, pkg) // whose import path does not follow its folder
	}
	return out
}

// mayHaveGroup tells whether a Go file of a folder mentions a group.
func mayHaveGroup(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.ContainsFunc(names, func(name string) bool {
		text, _ := os.ReadFile(name)
		return bytes.Contains(text, []byte("+groupName"))
	})
}

// pages are those of the packages in one folder that belong to the run.
func pages(pass *generators.Pass, versions []*model.Package) []page {
	folders := map[string]string{} // by import path
	for _, pkg := range versions {
		report := pass.Report
		if !slices.Contains(pass.Packages, pkg) {
			report = &diag.Report{}
		}
		if dir, ok := folder(&generators.Pass{Model: pass.Model, Report: report}, pkg); ok {
			folders[pkg.Path] = dir
		}
	}
	apis := pass.Model.APIs(versions)
	var out, all []page
	for _, api := range apis {
		if dir, ok := folders[api.Path]; ok {
			all = append(all, page{dir: dir, name: fileName(api.Group, api.Version), api: api})
		}
	}
	for _, p := range all {
		for _, other := range all {
			if p.api != other.api && p.dir == other.dir && p.api.Group == other.api.Group {
				p.others = append(p.others, other)
			}
		}
		if slices.ContainsFunc(pass.Packages, func(pkg *model.Package) bool { return pkg.Path == p.api.Path }) {
			out = append(out, p)
		}
	}
	for _, pkg := range pass.Packages {
		isHere := slices.Contains(versions, pkg) && folders[pkg.Path] != ""
		if isHere && !slices.ContainsFunc(apis, func(api *model.API) bool { return api.Path == pkg.Path }) {
			problem(pass, pkg, "asks for a page, and the package has no kinds to tell of",
				"it takes +groupName= and structs with metav1.TypeMeta and metav1.ObjectMeta that have json tags")
		}
	}
	return out
}

// fileName is the group, "core" for the one without a name, and the version.
func fileName(group, version string) string { return cmp.Or(group, "core") + "_" + version + ".md" }

// folder reads the package's tag; ok is false for a package without a page.
func folder(pass *generators.Pass, pkg *model.Package) (dir string, ok bool) {
	value, found := pass.Model.OfPackage(pkg).Last(tagName)
	root := model.ModuleRoot(pkg.Dir)
	switch {
	case !found || value == "false":
		return "", false
	case value == "true":
		return filepath.Join(root, filepath.FromSlash(defaultFolder)), true
	case value == "":
		problem(pass, pkg, "says nothing", "want true, or the folder for the page")
		return "", false
	case !filepath.IsLocal(filepath.FromSlash(value)):
		problem(pass, pkg, fmt.Sprintf("=%s leads out of the module", value), "name a folder below the one that has go.mod, like "+defaultFolder)
		return "", false
	}
	return filepath.Join(root, filepath.FromSlash(value)), true
}

func problem(pass *generators.Pass, pkg *model.Package, message, cure string) {
	if !strings.HasPrefix(message, "=") {
		message = " " + message
	}
	pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(pkg), Message: "+" + tagName + message, Cure: cure})
}
