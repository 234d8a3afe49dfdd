package generators

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// A run over a part of a module prints all of it, and writes what belongs to the part. So the same
// comes of a package whatever else is named.

// named are the files that belong to packages which the user named.
func named(m *model.Model, files []*emit.File) (out []*emit.File) {
	for _, f := range files {
		if _, ok := m.Named[cmp.Or(f.AskedBy, f.PkgPath)]; ok {
			out = append(out, f)
		}
	}
	return out
}

// soundOf are the packages whose types are all known.
func soundOf(packages []*model.Package) []*model.Package {
	return slices.DeleteFunc(slices.Clone(packages), func(p *model.Package) bool { return p.Broken })
}

// strange says which problems are about packages that nobody named and that have nothing to do with
// those that were. Neither imports the other, and neither is in a folder below the other's.
func strange(m *model.Model, dir string) func(diag.Problem) bool {
	folders := foldersOf(m.Around, func(p *model.Package) bool {
		return !slices.ContainsFunc(m.Packages, func(named *model.Package) bool {
			return m.Reaches(p, named) || m.Reaches(named, p) || within(p, named) || within(named, p)
		})
	})
	return func(p diag.Problem) bool { return isIn(folders, dir, p) }
}

// within tells whether a package lies in a folder below that of another one.
func within(p, other *model.Package) bool { return strings.HasPrefix(p.Path, other.Path+"/") }

// ofNamed are the warnings about packages that the user named, with one about the problems of
// strange packages if there are some.
func ofNamed(m *model.Model, dir string, report *diag.Report, warnings []diag.Problem) []diag.Problem {
	around := foldersOf(m.Around, func(*model.Package) bool { return true })
	out := slices.DeleteFunc(warnings, func(w diag.Problem) bool { return isIn(around, dir, w) })
	left := report.Left()
	if len(left) == 0 {
		return out
	}
	p := left[0]
	p.Message = fmt.Sprintf("packages that were not named have problems (%d), and what they ask for in those that were is perhaps not here; the first is: %s", len(left), p.Message)
	return append(out, p)
}

// foldersOf are the folders of some packages.
func foldersOf(packages []*model.Package, some func(*model.Package) bool) map[string]bool {
	out := map[string]bool{}
	for _, p := range packages {
		if some(p) {
			out[p.Dir] = true
		}
	}
	return out
}

// isIn tells whether a problem is in a file of some folders.
func isIn(folders map[string]bool, dir string, p diag.Problem) bool {
	name := p.Pos.Filename
	if name == "" || len(folders) == 0 {
		return false
	}
	if !filepath.IsAbs(name) {
		base, err := filepath.Abs(dir)
		if err != nil {
			return false
		}
		name = filepath.Join(base, name)
	}
	return folders[filepath.Dir(name)]
}
