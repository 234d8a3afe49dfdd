package load

import (
	"cmp"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// complete reads and type-checks packages, and before them all packages that their declarations
// use.
func (s *Set) complete(roots []*node) error {
	var checked []*node
	defer func() { s.release(checked) }()
	if err := s.read(roots); err != nil {
		return err
	}
	checked = s.check(roots)
	return nil
}

// read parses packages, and all packages that their declarations use or, in the main module, that
// their tags name.
func (s *Set) read(roots []*node) error {
	s.cfg.Progress.Step("read packages", 0)
	for todo := unread(roots); len(todo) > 0; {
		if err := s.parse(todo); err != nil {
			return err
		}
		s.cfg.Progress.Add(len(todo))
		var paths, tagged []string
		for _, n := range todo {
			for _, f := range n.syntax {
				for _, spec := range f.Imports {
					paths = append(paths, n.imported(spec))
				}
				if n.main {
					for _, group := range f.Comments {
						tagged = append(tagged, s.taggedPaths(group)...)
					}
				}
			}
		}
		if err := s.know(append(paths, tagged...)); err != nil {
			return err
		}
		var next []*node
		for _, n := range todo {
			s.link(n)
			for _, u := range n.uses {
				next = append(next, u.node)
			}
		}
		for _, path := range tagged {
			if n := s.nodes[path]; n != nil && n.main {
				next = append(next, n)
			}
		}
		todo = unread(next)
	}
	return nil
}

// unread marks packages as read, and returns those that were not.
func unread(nodes []*node) []*node {
	var out []*node
	for _, n := range nodes {
		if n.pkg == nil && !n.read {
			n.read = true
			out = append(out, n)
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

// use is a package that another one needs.
type use struct {
	path string // as the import declaration has it
	node *node
}

// link finds the packages that the declarations of a package use. A package of the main module
// uses all others of the main module that it imports, because Set.Reaches follows imports.
func (s *Set) link(n *node) {
	used := map[string]bool{"C": true, "unsafe": true, "": true}
	for i, f := range n.syntax {
		for _, spec := range f.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			to := s.nodes[n.imported(spec)]
			inside := to != nil && n.main && to.main
			if used[imported] || !inside && !selects(n.selected[i], spec, to) {
				continue
			}
			used[imported] = true
			switch {
			case to != nil && len(to.files) > 0:
				n.uses = append(n.uses, use{imported, to})
			case !n.main && n.fault == nil:
				n.fault = s.missing(n.imported(spec))
			}
		}
	}
	n.selected = nil
}

// imported returns the path of the package that an import declaration of n leads to. The standard
// library imports its vendored packages under other paths. It is "" if there is no path.
func (n *node) imported(spec *ast.ImportSpec) string {
	imported, _ := strconv.Unquote(spec.Path.Value)
	return cmp.Or(n.importMap[imported], imported)
}

// selects reports whether an import is one of those whose names are selected from, as metav1 in
// metav1.ObjectMeta. It is true in doubt.
func selects(selected map[string]bool, spec *ast.ImportSpec, to *node) bool {
	switch {
	case spec.Name != nil:
		return spec.Name.Name == "." || selected[spec.Name.Name]
	case to != nil && to.name != "":
		return selected[to.name]
	default: // a package without files: its folder may have its name
		imported, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(imported)
		return !token.IsIdentifier(name) || versionName.MatchString(name) || selected[name]
	}
}

// versionName matches the last element of a module path like example.com/words/v2.
var versionName = regexp.MustCompile(`^v[0-9]+$`)
