// Package load reads Go packages once, for all plug-ins of a run.
//
// Packages come from their source; nothing is compiled. Function bodies are not type-checked, and
// neither are packages that only function bodies use: that is why a run takes tenths of a second.
// In the main module generated files are left out and type errors are tolerated, so a stale or
// missing generated file never stops a run. Methods and functions that stand in generated files are
// invisible in the model, which is gengo's types.Universe.
//
// Start reading at Load. The package never runs user code, never writes files and never asks the
// network for more than the go command does.
package load

import (
	"cmp"
	"go/ast"
	"go/token"
	gotypes "go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
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
		nodes: map[string]*node{}, packages: map[string]*Package{}, walked: map[gotypes.Type]*types.Type{}, objects: map[*types.Type]gotypes.Object{},
		members: map[*types.Type]*gotypes.Struct{}, docs: map[fileKey]*fileDocs{}, comments: map[*ast.CommentGroup]*Comment{}, blamed: map[string]bool{},
	}
	if cfg.Shared != nil {
		s.fset = cfg.Shared.files()
	}
	cfg.Progress.Step("list packages", 0)
	var settings errgroup.Group // at the same time
	settings.Go(s.readSettings)
	roots, err := s.list(cfg.Patterns)
	if err := cmp.Or(err, settings.Wait()); err != nil {
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
	var nodes []*node
	for _, p := range all {
		nodes = append(nodes, p.node)
	}
	if err := s.complete(nodes); err != nil {
		return nil, err
	}
	for _, p := range all {
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
	defer s.release(nil)
	if s.know([]string{path}) != nil {
		return nil
	}
	n := s.nodes[path]
	if n == nil || len(n.files) == 0 || s.complete([]*node{n}) != nil || n.fault != nil {
		return nil
	}
	p := s.newPackage(n)
	s.fill(p)
	return p
}
