package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	gotypes "go/types"
	"path/filepath"
	"runtime"
	"strconv"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// parse reads the files of packages, several at a time; generated ones are left out.
func (s *Set) parse(todo []*Package) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	parsed := make([][]*source, len(todo))
	var nodes []*node
	for _, p := range todo {
		nodes = append(nodes, p.node)
	}
	if err := readFiles(nodes); err != nil {
		return err
	}
	for i, p := range todo {
		if p.files != nil || p.generated != nil {
			continue
		}
		parsed[i] = make([]*source, len(p.node.files))
		for j, name := range p.node.files {
			group.Go(func() error {
				parsed[i][j] = s.parseFile(name, p.node.sources[j])
				p.node.sources[j] = nil
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, p := range todo {
		for _, src := range parsed[i] {
			if src.file == nil {
				p.generated = append(p.generated, filepath.Base(src.name))
				continue
			}
			p.files = append(p.files, src.file)
			if src.foreign {
				p.foreign[src.file] = true
			}
			p.Broken = p.Broken || src.broken
			s.index(p.Path, src.file)
		}
	}
	return nil
}

// source is one file; file is nil if it is left out.
type source struct {
	name   string
	file   *ast.File
	broken bool
	// foreign tells that another tool made it.
	foreign bool
}

// parseFile parses a file; data is nil if its name already says that it is left out.
func (s *Set) parseFile(name string, data []byte) *source {
	made := byUs
	if data != nil {
		made = generatedBy(name, data)
	}
	if made == byUs {
		return &source{name: name}
	}
	file, err := parser.ParseFile(s.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
	if made == byOthers {
		if err != nil {
			return &source{name: name}
		}
		keepTypes(file)
		return &source{name: name, file: file, foreign: true}
	}
	return &source{name: name, file: file, broken: s.reportSyntax(err)}
}

// reportSyntax reports the first syntax errors of a file and tells whether there are any.
func (s *Set) reportSyntax(err error) bool {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return false
	}
	for i, e := range list {
		if i == 10 {
			break
		}
		e.Pos.Filename = s.relative(e.Pos.Filename)
		s.cfg.Report.Add(diag.Problem{Pos: e.Pos, Message: e.Msg})
	}
	return true
}

// check type-checks a package of the main module and, before it, what it imports.
func (s *Set) check(p *Package) {
	if p.Go != nil || s.active[p.Path] {
		return
	}
	s.active[p.Path] = true
	defer delete(s.active, p.Path)
	config := gotypes.Config{
		IgnoreFuncBodies: true, FakeImportC: true,
		Sizes:    gotypes.SizesFor("gc", runtime.GOARCH),
		Importer: importer{s},
		Error: func(err error) {
			var e gotypes.Error
			if errors.As(err, &e) {
				p.errors = append(p.errors, e)
			}
		},
	}
	s.checkImports(p)
	p.Go, _ = config.Check(p.Path, s.fset, p.files, nil)
	if p.Go.Name() == "" {
		p.Go = gotypes.NewPackage(p.Path, p.Name)
	}
	p.Go.MarkComplete()
	s.imports[p.Path] = p.Go
}

// checkImports finds imports of hand-written files that lead nowhere.
func (s *Set) checkImports(p *Package) {
	for _, f := range p.files {
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if path == "unsafe" || path == "C" || err != nil {
				continue
			}
			if s.active[path] {
				p.Broken = true
				s.cfg.Report.Add(diag.Problem{
					Pos: s.position(spec.Path.Pos()), Message: fmt.Sprintf("cannot import %s, which imports this package", path),
					Cure: "move what both need into a third package",
				})
				continue
			}
			n := s.nodes[path]
			if n != nil && (n.export != "" || n.main && len(n.files) > 0) {
				continue
			}
			p.Broken = true
			p.lost = append(p.lost, lostImport{s.position(spec.Path.Pos()), path})
		}
	}
}
