package protobuf

import (
	"bytes"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	goprinter "go/printer"
	"go/token"
	"strconv"
	"strings"
	"sync"

	"github.com/typeplane/typeplane/generators/emit"
)

//go:embed wirecode/wirecode.go wirecode/type.go wirecode/values.go wirecode/maps.go wirecode/read.go wirecode/scan.go wirecode/slab.go wirecode/arena.go wirecode/write.go wirecode/text.go
var helperSource embed.FS

// helperFiles are in the order in which they are printed.
var helperFiles = []string{"wirecode.go", "type.go", "values.go", "maps.go", "read.go", "scan.go", "slab.go", "arena.go", "write.go", "text.go"}

// helperSet is package wirecode in pieces.
type helperSet struct {
	mu      sync.Mutex // guards the trees while a package is renamed for printing
	fset    *token.FileSet
	imports map[string]string // name → import path
	decls   []*helperDecl     // in the order of the source
	byName  map[string]*helperDecl
}

// helperDecl is one function, method or type, or one group of constants or variables.
type helperDecl struct {
	decl     ast.Decl
	comments []*ast.CommentGroup // of its file
	names    []string            // what it declares
	needs    []string            // other helpers that it mentions
}

// helpers parses the helpers once.
var helpers = sync.OnceValues(func() (*helperSet, error) {
	h := &helperSet{fset: token.NewFileSet(), imports: map[string]string{}, byName: map[string]*helperDecl{}}
	for _, name := range helperFiles {
		if err := h.parse(name); err != nil {
			return nil, err
		}
	}
	for _, d := range h.decls {
		ast.Inspect(d.decl, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && h.byName[id.Name] != nil && h.byName[id.Name] != d {
				d.needs = append(d.needs, id.Name)
			}
			return true
		})
	}
	return h, nil
})

func (h *helperSet) parse(name string) error {
	source, err := helperSource.ReadFile("wirecode/" + name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(h.fset, name, source, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		name := path[strings.LastIndexByte(path, '/')+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		h.imports[name] = path
	}
	for _, decl := range file.Decls {
		d := newHelperDecl(decl)
		d.comments = file.Comments
		if len(d.names) == 0 {
			continue
		}
		h.decls = append(h.decls, d)
		for _, name := range d.names {
			if h.byName[name] != nil {
				return fmt.Errorf("wirecode declares %s twice: what a helper needs is found by names alone, also of methods", name)
			}
			h.byName[name] = d
		}
	}
	return nil
}

func newHelperDecl(decl ast.Decl) *helperDecl {
	d := &helperDecl{decl: decl}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		d.names = []string{decl.Name.Name}
	case *ast.GenDecl:
		for _, spec := range decl.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				d.names = append(d.names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					d.names = append(d.names, name.Name)
				}
			}
		}
	}
	return d
}

// printHelpers prints the helpers that are used, and those that they need, unless the package has them already.
func printHelpers(out *emit.File, used map[string]bool, has func(string) bool) error {
	h, err := helpers()
	if err != nil {
		return err
	}
	wanted := map[*helperDecl]bool{}
	var want func(name string)
	want = func(name string) {
		d := h.byName[name]
		if wanted[d] || has(name) {
			return
		}
		wanted[d] = true
		for _, need := range d.needs {
			want(need)
		}
	}
	for name := range used {
		want(name)
	}
	for _, d := range h.decls {
		if !wanted[d] {
			continue
		}
		text, err := h.text(d, out)
		if err != nil {
			return err
		}
		out.P(text)
		out.P()
	}
	return nil
}

// text is the source of a helper, with packages named as the file names them.
func (h *helperSet) text(d *helperDecl, out *emit.File) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var restore []func()
	ast.Inspect(d.decl, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok && h.imports[id.Name] != "" {
				name := id.Name
				restore = append(restore, func() { id.Name = name })
				id.Name = out.Import(h.imports[name])
			}
		}
		return true
	})
	defer func() {
		for _, undo := range restore {
			undo()
		}
	}()
	var b bytes.Buffer
	err := goprinter.Fprint(&b, h.fset, &goprinter.CommentedNode{Node: d.decl, Comments: d.comments})
	return b.String(), err
}
