// Package load reads Go packages once, for all plug-ins of a run.
//
// Packages of the main module come from their source. Function bodies are not looked at, generated
// files are left out, and type errors are tolerated. So a stale or missing generated file never
// stops a run. All other packages come from the export data of the compiler, which is why a run
// takes tenths of a second. Both fill the same model, gengo's types.Universe, and methods and
// functions that stand in generated files are invisible in both.
//
// Start reading at Load. The package never runs user code, never writes files and never asks the
// network for more than the go command does.
package load

import (
	"go/ast"
	"go/token"
	gotypes "go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Load runs the go command and reads the packages. An error means that nothing could be loaded at
// all; what is wrong with single packages goes to the report.
func Load(cfg Config) (*Set, error) {
	if cfg.Report == nil {
		cfg.Report = &diag.Report{}
	}
	if cfg.Tags == nil {
		cfg.Tags = tag.NewTable()
	}
	dir, err := filepath.Abs(cfg.Dir)
	if err != nil {
		return nil, err
	}
	s := &Set{
		Universe: newUniverse(), Named: map[string]string{},
		fset: token.NewFileSet(), dir: dir, cfg: cfg,
		nodes: map[string]*node{}, packages: map[string]*Package{}, imports: map[string]*gotypes.Package{},
		active: map[string]bool{}, walked: map[gotypes.Type]*types.Type{}, objects: map[*types.Type]gotypes.Object{},
		members: map[*types.Type]*gotypes.Struct{}, docs: map[fileKey]*fileDocs{}, comments: map[*ast.CommentGroup]*Comment{}, blamed: map[string]bool{},
	}
	roots, err := s.list(cfg.Patterns)
	if err != nil {
		return nil, err
	}
	named, err := s.namedPackages(roots)
	if err != nil {
		return nil, err
	}
	s.Packages = named
	if cfg.Whole {
		if s.Around, err = s.around(); err != nil {
			return nil, err
		}
	}
	all := s.All()
	exports := s.prefetch(all)
	if err := s.readSources(all, exports); err != nil {
		return nil, err
	}
	for _, p := range all {
		s.check(p)
		s.reportLost(p)
		s.fill(p)
	}
	for _, list := range [][]*Package{s.Packages, s.Around} {
		slices.SortFunc(list, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	}
	return s, nil
}

// All are the packages that the patterns name, and those around them.
func (s *Set) All() []*Package { return slices.Concat(s.Packages, s.Around) }

// Folders returns the folders of all packages that were looked at, also of those that were looked
// for in the main module and are not there.
func (s *Set) Folders() []string {
	out := map[string]bool{}
	for path, n := range s.nodes {
		dir := n.dir
		if dir == "" {
			dir, _ = s.ownDir(path)
		}
		if dir != "" {
			out[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(out))
}

// Package returns a package by import path, nil if there is none. A package that nothing needed so
// far is loaded now.
func (s *Set) Package(path string) *Package {
	p := s.packages[path]
	if p == nil {
		if p = s.find(path); p == nil {
			return nil
		}
	}
	if p.Go == nil {
		if p.Main {
			s.check(p)
		} else {
			p.Go = s.importOutside(path)
		}
	}
	if p.Go == nil {
		return nil
	}
	s.fill(p)
	return p
}

// find makes the package known to the set, with the go command if it has to.
func (s *Set) find(path string) *Package {
	if s.nodes[path] == nil {
		if module.CheckImportPath(path) != nil {
			return nil
		}
		if s.ask(path) != nil {
			return nil
		}
	}
	n := s.nodes[path]
	if n == nil || len(n.files) == 0 {
		return nil
	}
	p := s.newPackage(n)
	if p.Main {
		if err := s.readSources([]*Package{p}, func() {}); err != nil {
			return nil
		}
	}
	return p
}

// ask asks the go command for a package that nothing needed so far.
func (s *Set) ask(path string) error {
	if s.ownPath(path) {
		return s.know([]string{path})
	}
	return s.exportData([]string{path})
}
