package generators

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/model"
)

// Below are the packages that may have kinds: root, and those in folders below it, in the run or
// not. What is printed for all of them must not depend on what else the run names. Folders that skip
// tells are left out, with all below.
func (p *Pass) Below(root *model.Package, skip func(dir string) bool) []*model.Package {
	inRun := map[string]*model.Package{}
	for _, pkg := range p.Packages {
		inRun[pkg.Dir] = pkg
	}
	var out []*model.Package
	_ = filepath.WalkDir(root.Dir, func(dir string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || !entry.IsDir():
			return err
		case dir != root.Dir && (leftOut(dir) || skip(dir)):
			return filepath.SkipDir
		}
		pkg := inRun[dir]
		if pkg == nil && mayHaveKinds(dir) {
			rel, _ := filepath.Rel(root.Dir, dir) // dir is below
			pkg = p.Model.Package(path.Join(root.Path, filepath.ToSlash(rel)))
		}
		if pkg != nil && pkg.Main {
			out = append(out, pkg)
		}
		return nil
	})
	return out
}

// leftOut tells folders that "..." does not go into, and other modules.
func leftOut(dir string) bool {
	base := filepath.Base(dir)
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") || base == "testdata" || base == "vendor"
}

// mayHaveKinds tells whether a Go file of a folder speaks of a group or of clients.
func mayHaveKinds(dir string) bool {
	names, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	return slices.ContainsFunc(names, func(name string) bool {
		text, _ := os.ReadFile(name)
		return bytes.Contains(text, []byte("+genclient")) || bytes.Contains(text, []byte("+groupName"))
	})
}
