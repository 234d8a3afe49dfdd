package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/typeplane/typeplane"

// goPackage is a package whose comments are a page.
type goPackage struct {
	list string // the file below docs/api that says what it exports
	path string // of the import
	*doc.Package
	fset  *token.FileSet
	files []*ast.File
}

// printPackages makes a page of each package that has a list in docs/api, and one that names them.
func (s *site) printPackages() error {
	var all []*goPackage
	err := filepath.WalkDir(filepath.Join(s.root, packages), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		list, err := filepath.Rel(s.root, name)
		if err != nil {
			return err
		}
		p, err := s.parse(importPath(filepath.ToSlash(list)))
		if err != nil {
			return err
		}
		p.list = filepath.ToSlash(list)
		all = append(all, p)
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b *goPackage) int { return strings.Compare(a.path, b.path) })
	pages := map[string]*goPackage{}
	for _, p := range all {
		pages[p.path] = p
	}
	s.add(&page{source: packages, name: "packages/index.md", text: printIndex(all)})
	for _, p := range all {
		r := &reference{site: s, of: p, pages: pages}
		if err := r.print(); err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		s.add(&page{source: p.list, name: pageOf(p), text: r.text.String()})
	}
	return nil
}

// importPath is the package that a list in docs/api is of.
func importPath(list string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(list, packages+"/"), ".txt")
	if name == path.Base(module) {
		return module
	}
	return path.Join(module, name)
}

// pageOf is the file of a package's page.
func pageOf(p *goPackage) string {
	return "packages/" + strings.ReplaceAll(short(p.path), "/", ".") + ".md"
}

// short is the path of a package within the module, and the module's own name for its root.
func short(pkg string) string {
	if pkg == module {
		return path.Base(module)
	}
	return strings.TrimPrefix(pkg, module+"/")
}

// parse reads the comments and declarations of a package, tests included, for their examples.
func (s *site) parse(pkg string) (*goPackage, error) {
	dir := filepath.Join(s.root, strings.TrimPrefix(pkg, module))
	listed, err := build.ImportDir(dir, 0)
	if err != nil {
		return nil, err
	}
	p := &goPackage{path: pkg, fset: token.NewFileSet()}
	for _, name := range slices.Concat(listed.GoFiles, listed.TestGoFiles, listed.XTestGoFiles) {
		file, err := parser.ParseFile(p.fset, filepath.Join(dir, name), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, file)
	}
	p.Package, err = doc.NewFromFiles(p.fset, p.files, pkg)
	return p, err
}

func printIndex(all []*goPackage) string {
	var b strings.Builder
	b.WriteString("# Packages\n\nThese are the packages whose names users may rely on ([what that means](../CONTRIBUTING.md#what-is-stable)).\n\n| package | what it is for |\n|---|---|\n")
	for _, p := range all {
		fmt.Fprintf(&b, "| [%s](%s) | %s |\n", short(p.path), strings.TrimPrefix(p.list, "docs/"), cell(p.Synopsis(p.Doc)))
	}
	return b.String()
}

// cell is a text that stands in a table.
func cell(text string) string { return strings.ReplaceAll(markdown.Replace(text), "|", "\\|") }

// markdown keeps text from being read as Markdown, or as HTML.
var markdown = strings.NewReplacer("<", "&lt;", "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`)

// printer prints comments of a package, with links to the pages of packages.
func (r *reference) printer(of *goPackage) *comment.Printer {
	p := of.Printer()
	p.HeadingLevel = 4
	p.HeadingID = func(*comment.Heading) string { return "" }
	p.DocLinkURL = func(l *comment.DocLink) string {
		if l.ImportPath == "" {
			return "#" + anchorOf(l.Recv, l.Name)
		}
		if to := r.pages[l.ImportPath]; to != nil {
			return "/" + pageOf(to) + hash(l)
		}
		return "https://pkg.go.dev/" + l.ImportPath + strings.ReplaceAll(l.DefaultURL(""), "/"+l.ImportPath, "")
	}
	return p
}

func hash(l *comment.DocLink) string {
	if l.Name == "" {
		return ""
	}
	return "#" + anchorOf(l.Recv, l.Name)
}

// anchorOf is the anchor of a name's heading.
func anchorOf(receiver, name string) string {
	if receiver != "" {
		name = receiver + "." + name
	}
	return strings.ToLower(strings.ReplaceAll(name, ".", ""))
}

// aliased is the package below internal/ and the name in it that an alias stands for.
func (r *reference) aliased(t *doc.Type) (of *goPackage, name string, err error) {
	spec, ok := t.Decl.Specs[0].(*ast.TypeSpec)
	if !ok || !spec.Assign.IsValid() {
		return nil, "", nil
	}
	target := spec.Type
	if generic, ok := target.(*ast.IndexExpr); ok {
		target = generic.X
	}
	sel, ok := target.(*ast.SelectorExpr)
	if !ok {
		return nil, "", nil
	}
	pkg := r.imported(sel.X.(*ast.Ident).Name, spec.Pos())
	if !strings.Contains(pkg+"/", "/internal/") {
		return nil, "", nil
	}
	if r.inside[pkg] == nil {
		if r.inside[pkg], err = r.site.parse(pkg); err != nil {
			return nil, "", err
		}
	}
	return r.inside[pkg], sel.Sel.Name, nil
}

// imported is the path that a file imports under a name.
func (r *reference) imported(name string, at token.Pos) string {
	for _, file := range r.of.files {
		if at < file.FileStart || at >= file.FileEnd {
			continue
		}
		for _, spec := range file.Imports {
			pkg, err := strconv.Unquote(spec.Path.Value)
			if err == nil && (spec.Name != nil && spec.Name.Name == name || spec.Name == nil && path.Base(pkg) == name) {
				return pkg
			}
		}
	}
	return ""
}
