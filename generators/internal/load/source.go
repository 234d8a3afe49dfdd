package load

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"path/filepath"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/typeplane/typeplane/generators/internal/diag"
)

// parse parses the files of packages, several at a time. In the main module, generated files are
// left out.
func (s *Set) parse(todo []*node) error {
	var main []*node
	for _, n := range todo {
		if n.main {
			main = append(main, n)
		}
	}
	if err := s.readFiles(main); err != nil {
		return err
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	parsed := make([][]*source, len(todo))
	for i, n := range todo {
		parsed[i] = make([]*source, len(n.files))
		for j, name := range n.files {
			group.Go(func() error {
				if n.main {
					parsed[i][j] = s.parseFile(name, n.sources[j])
				} else {
					parsed[i][j] = s.parseOutside(n, name)
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, n := range todo {
		n.sources = nil
		for _, src := range parsed[i] {
			if src.file != nil {
				n.syntax = append(n.syntax, src.file)
			}
			if n.fault == nil {
				n.fault = src.fault
			}
		}
		if n.main {
			s.addFiles(s.newPackage(n), parsed[i])
		}
		group.Go(func() error {
			if !n.main {
				keepReachable(n.syntax)
			}
			for _, f := range n.syntax {
				n.selected = append(n.selected, selectedNames(f))
			}
			return nil
		})
	}
	return group.Wait()
}

// addFiles adds the parsed files of a package of the main module.
func (s *Set) addFiles(p *Package, files []*source) {
	for _, src := range files {
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

// source is one file; file is nil if it is left out.
type source struct {
	name    string
	file    *ast.File
	broken  bool
	foreign bool   // another tool made it
	fault   *fault // of a file of another module
}

// parseFile parses a file of the main module; data is nil if its name already says that it is left
// out.
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
