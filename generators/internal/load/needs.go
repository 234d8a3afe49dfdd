package load

import (
	"go/ast"
	"maps"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/module"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// readSources parses packages of the main module, and those of it that they import or that their
// tags name. It makes sure of the export data of everything else.
func (s *Set) readSources(todo []*Package, exports func()) error {
	outside, seen := map[string]bool{}, map[string]bool{}
	for len(todo) > 0 {
		for _, p := range todo {
			seen[p.Path] = true
		}
		if err := s.parse(todo); err != nil {
			return err
		}
		next := map[string]bool{}
		for _, p := range todo {
			for _, path := range s.wanted(p) {
				if s.ownPath(path) {
					next[path] = true
				} else {
					outside[path] = true
				}
			}
		}
		if len(s.unknown(slices.Sorted(maps.Keys(next)))) > 0 {
			exports()
		}
		if err := s.know(slices.Sorted(maps.Keys(next))); err != nil {
			return err
		}
		todo = nil
		for _, path := range slices.Sorted(maps.Keys(next)) {
			switch n := s.nodes[path]; {
			case n == nil || seen[path]:
			case n.main:
				todo = append(todo, s.newPackage(n))
			default:
				outside[path] = true
			}
		}
		if len(todo) > 0 {
			continue
		}
		exports()
		if err := s.exportData(slices.Sorted(maps.Keys(outside))); err != nil {
			return err
		}
		for _, path := range slices.Sorted(maps.Keys(outside)) { // of another module of a workspace
			if n := s.nodes[path]; n != nil && n.main && !seen[path] {
				todo = append(todo, s.newPackage(n))
			}
		}
	}
	return nil
}

// know asks the go command for packages of the main module that the patterns do not name.
func (s *Set) know(paths []string) error {
	unknown := s.unknown(paths)
	if len(unknown) == 0 {
		return nil
	}
	_, err := s.list(unknown)
	return err
}

func (s *Set) unknown(paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool {
		return s.nodes[path] != nil || module.CheckImportPath(path) != nil
	})
}

// wanted returns the import paths that a parsed package needs: its imports, and packages that its
// tags name.
func (s *Set) wanted(p *Package) []string {
	var out []string
	for _, f := range p.files {
		for _, spec := range f.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				out = append(out, path)
			}
		}
		for _, group := range f.Comments {
			out = append(out, s.taggedPaths(group)...)
		}
	}
	return out
}

// taggedPaths returns the packages that tags in a comment name.
func (s *Set) taggedPaths(group *ast.CommentGroup) []string {
	var out []string
	for _, line := range s.comment(group).Tags() {
		name := tag.NameOf(line.Text)
		if !tag.Checked(name) {
			continue
		}
		d, _ := s.cfg.Tags.Find(name)
		value := tag.RawValue(line.Text[1+len(name):])
		switch {
		case d.Value == tag.TypeName:
			for _, v := range strings.Split(value, ",") {
				if i := strings.LastIndexByte(v, '.'); i > 0 {
					out = append(out, v[:i])
				}
			}
		case d.Value == tag.PackagePath, name == "k8s:conversion-gen" && strings.Contains(value, "/"):
			out = append(out, value)
		}
	}
	return out
}
