package load

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/typeplane/typeplane/generators/diag"

	"golang.org/x/tools/go/packages"
)

// node is what the go command tells of a package.
type node struct {
	path, name, dir string
	main            bool              // of the main module
	files           []string          // Go source files, absolute
	imports         map[string]string // as written in the source → import path
	export          string            // file of export data; known after exportData asked for it
	errors          []packages.Error
}

// list asks the go command for packages and all that they import, without compiling anything, and returns those that
// the patterns name.
func (s *Set) list(patterns []string) ([]*node, error) {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	found, err := s.query(mode, patterns)
	if err != nil {
		return nil, err
	}
	packages.Visit(found, nil, func(p *packages.Package) {
		if s.nodes[p.PkgPath] == nil {
			s.nodes[p.PkgPath] = newNode(p)
		}
	})
	roots := make([]*node, 0, len(found))
	for _, p := range found {
		roots = append(roots, s.nodes[p.PkgPath])
	}
	return roots, nil
}

func newNode(p *packages.Package) *node {
	n := &node{
		path: p.PkgPath, name: p.Name, dir: p.Dir, files: p.GoFiles, errors: p.Errors,
		main:    p.Module != nil && p.Module.Main,
		imports: map[string]string{},
	}
	if n.dir == "" && len(p.GoFiles) > 0 {
		n.dir = filepath.Dir(p.GoFiles[0])
	}
	for written, imported := range p.Imports {
		n.imports[written] = imported.PkgPath
	}
	if n.path == "unsafe" {
		n.name = "unsafe"
	}
	return n
}

// prefetch starts to look for export data while the sources are being parsed. It goes by what the go command says
// about imports, generated files included, which is a little too much. The function it returns waits and takes the
// result over.
func (s *Set) prefetch(named []*Package) func() {
	paths, seen := map[string]bool{}, map[string]bool{}
	var visit func(n *node)
	visit = func(n *node) {
		if n == nil || seen[n.path] {
			return
		}
		seen[n.path] = true
		if !n.main {
			paths[n.path] = true
			return
		}
		for _, path := range n.imports {
			visit(s.nodes[path])
		}
	}
	for _, p := range named {
		visit(p.node)
	}
	missing := s.withoutExport(sorted(paths))
	if len(missing) == 0 {
		return func() {}
	}
	var found []*packages.Package
	done := make(chan struct{})
	go func() {
		defer close(done)
		found, _ = s.query(packages.NeedName|packages.NeedExportFile, missing)
	}()
	return func() {
		<-done
		s.takeExports(found)
	}
}

// exportData asks the go command to compile packages of other modules, as far as they are not in its cache, and notes
// where their export data is.
func (s *Set) exportData(paths []string) error {
	missing := s.withoutExport(paths)
	if len(missing) == 0 {
		return nil
	}
	found, err := s.query(packages.NeedName|packages.NeedExportFile, missing)
	if err != nil {
		return err
	}
	s.takeExports(found)
	return nil
}

func (s *Set) withoutExport(paths []string) []string {
	var out []string
	for _, path := range paths {
		if n := s.nodes[path]; n != nil && n.export == "" && len(n.files) > 0 && path != "unsafe" && path != "C" {
			out = append(out, path)
		}
	}
	return out
}

func (s *Set) takeExports(found []*packages.Package) {
	for _, p := range found {
		if n := s.nodes[p.PkgPath]; n != nil {
			n.export = p.ExportFile
			n.errors = append(n.errors, p.Errors...)
		}
	}
}

func (s *Set) query(mode packages.LoadMode, patterns []string) ([]*packages.Package, error) {
	found, err := packages.Load(&packages.Config{Mode: mode, Dir: s.dir, Env: s.cfg.Env}, patterns...)
	if err != nil {
		return nil, fmt.Errorf("load packages: %w", clean(err))
	}
	return found, nil
}

// clean takes the go command's own words out of the error of go/packages.
func clean(err error) error {
	text := err.Error()
	if _, after, ok := strings.Cut(text, "stderr: "); ok {
		text = after
	}
	return errors.New(strings.TrimSpace(strings.TrimPrefix(text, "err: ")))
}

// namedPackages returns the packages to generate for: those that the patterns name, of the main module, with one of
// our tags in them. It reports patterns that name nothing useful.
func (s *Set) namedPackages(roots []*node) []*Package {
	var out []*Package
	for _, n := range roots {
		switch {
		case len(n.files) == 0 && n.dir == "":
			s.reportListing(n)
		case !n.main && n.dir != "":
			s.cfg.Report.Add(diag.Problem{
				Message: fmt.Sprintf("package %s does not belong to the main module", n.path),
				Cure:    "run gen in the module of that package",
			})
		default:
			s.Named[n.path] = n.dir
			if hasTags(n) {
				out = append(out, s.newPackage(n))
			}
		}
	}
	if len(roots) == 0 {
		s.cfg.Report.Add(diag.Problem{
			Message: fmt.Sprintf("no package matches %s", strings.Join(s.cfg.Patterns, " ")),
			Cure:    "name packages as the go command does, like ./...",
		})
	}
	return out
}

func (s *Set) reportListing(n *node) {
	for _, e := range n.errors {
		s.cfg.Report.Add(diag.Problem{Path: n.path, Message: strings.TrimSpace(e.Msg)})
	}
}

// ours are the beginnings of tags that make a package interesting.
var ours = [][]byte{[]byte("+k8s:"), []byte("+kubebuilder:"), []byte("+typeplane:"), []byte("+groupName")}

// hasTags looks at bytes only: a package without tags need not be parsed at all.
func hasTags(n *node) bool {
	for _, file := range n.files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		for _, prefix := range ours {
			if bytes.Contains(data, prefix) {
				return true
			}
		}
	}
	return false
}
