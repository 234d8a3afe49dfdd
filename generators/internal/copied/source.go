// Package copied prints parts of the runtime beside generated code, for modules that must not
// import it.
//
// The runtime is ordinary Go (runtime/protobuf, runtime/lossless), which is compiled and tested
// where it is. What generated code names of it is printed with all that it needs in turn, under
// other names, since it stands beside the user's own.
//
// Start reading at Source.Print.
package copied

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	goprinter "go/printer"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/typeplane/typeplane/generators/internal/emit"
)

// Source is a package of the runtime in pieces.
type Source struct {
	name    string
	files   embed.FS
	rename  func(string) string
	mu      sync.Mutex // guards all below; a piece is renamed while it is printed
	fset    *token.FileSet
	imports map[string]string // name → import path
	pieces  []*piece          // in the order of the files
	byName  map[string]*piece
	idents  map[string]bool // what is declared on the level of the package
	inside  map[string]bool // types that structs embed: fields have their names
}

// piece is one function, method or type, or one group of constants or variables.
type piece struct {
	decl     ast.Decl
	file     *ast.File
	names    []string          // what it declares
	needs    []string          // other pieces that it mentions
	imports  []string          // paths of packages, in the order in which it first mentions them
	ofItself bool              // it is a method
	texts    map[string]string // as printed, by what files call the imports
}

// New is a package of the runtime: its files, and the names that its declarations have in a copy.
func New(name string, files embed.FS, rename func(string) string) *Source {
	return &Source{name: name, files: files, rename: rename}
}

// read parses the files once.
func (s *Source) read() error {
	if s.fset != nil {
		return nil
	}
	s.fset, s.imports, s.byName, s.idents, s.inside = token.NewFileSet(), map[string]string{}, map[string]*piece{}, map[string]bool{}, map[string]bool{}
	files, err := s.files.ReadDir(".")
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := s.parse(file.Name()); err != nil {
			return err
		}
	}
	for _, d := range s.pieces {
		imported := map[*ast.Ident]bool{} // what belongs to another package: time.Time is no Time
		ast.Inspect(d.decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if id, ok := n.X.(*ast.Ident); ok && id.Obj == nil && s.imports[id.Name] != "" {
					imported[n.Sel] = true
					if path := s.imports[id.Name]; !slices.Contains(d.imports, path) {
						d.imports = append(d.imports, path)
					}
				}
			case *ast.Ident:
				if s.byName[n.Name] != nil && s.byName[n.Name] != d && !imported[n] {
					d.needs = append(d.needs, n.Name)
				}
			case *ast.Field:
				if id, ok := n.Type.(*ast.Ident); ok && len(n.Names) == 0 {
					s.inside[id.Name] = true
				}
			}
			return true
		})
	}
	return nil
}

func (s *Source) parse(name string) error {
	text, err := s.files.ReadFile(name)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(s.fset, name, text, parser.ParseComments)
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
		s.imports[name] = path
	}
	for _, decl := range file.Decls {
		d := newPiece(decl, file)
		if len(d.names) == 0 {
			continue
		}
		s.pieces = append(s.pieces, d)
		for _, name := range d.names {
			if s.byName[name] != nil {
				return fmt.Errorf("%s declares %s twice: what a piece needs is found by names alone, also of methods", s.name, name)
			}
			s.byName[name] = d
			s.idents[name] = !d.ofItself
		}
	}
	return nil
}

func newPiece(decl ast.Decl, file *ast.File) *piece {
	d := &piece{decl: decl, file: file, texts: map[string]string{}}
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		d.names, d.ofItself = []string{decl.Name.Name}, decl.Recv != nil
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

// Print prints the pieces that are used, and those that they need, unless the package that out
// belongs to has them already.
func (s *Source) Print(out *emit.File, used map[string]bool, has func(name string) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.read(); err != nil {
		return err
	}
	wanted := map[*piece]bool{}
	var want func(name string)
	want = func(name string) {
		d := s.byName[name]
		if wanted[d] || has(s.rename(name)) {
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
	for _, d := range s.pieces {
		if !wanted[d] {
			continue
		}
		text, err := s.text(d, out)
		if err != nil {
			return err
		}
		out.P(text)
		out.P()
	}
	return nil
}

// text is the source of a piece, with packages named as the file names them. Most files name them
// alike, so a piece is printed once.
func (s *Source) text(d *piece, out *emit.File) (string, error) {
	called := map[string]string{}
	var key strings.Builder
	for _, path := range d.imports {
		called[path] = cmp.Or(out.Import(path), ownPackage)
		key.WriteString(called[path] + " ")
	}
	text, ok := d.texts[key.String()]
	if ok {
		return text, nil
	}
	text, err := s.print(d, called)
	d.texts[key.String()] = text
	return text, err
}

// print prints a piece with names that stand beside the user's own; called is what packages are
// called, by their paths.
func (s *Source) print(d *piece, called map[string]string) (string, error) {
	var restore []func()
	rename := func(id *ast.Ident, to string) {
		name := id.Name
		restore = append(restore, func() { id.Name = name })
		id.Name = to
	}
	keep := s.keeping(d)
	ast.Inspect(d.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && id.Obj == nil && s.imports[id.Name] != "" {
				rename(id, called[s.imports[id.Name]])
				keep[id] = true
			}
		case *ast.Ident:
			if s.idents[n.Name] && !keep[n] && (n.Obj == nil || d.file.Scope.Lookup(n.Name) == n.Obj) {
				rename(n, s.rename(n.Name))
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
	err := goprinter.Fprint(&b, s.fset, &goprinter.CommentedNode{Node: d.decl, Comments: d.file.Comments})
	return s.comments(strings.ReplaceAll(b.String(), ownPackage+".", "")), err
}

// ownPackage stands for the name of the package that a copy is printed in, which goes.
const ownPackage = "ownPackage_"

// keeping are the identifiers of a piece that name no declaration of the package: of fields,
// methods, and what belongs to another package.
func (s *Source) keeping(d *piece) map[*ast.Ident]bool {
	keep := map[*ast.Ident]bool{}
	ast.Inspect(d.decl, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			keep[n.Sel] = !s.inside[n.Sel.Name]
		case *ast.Field:
			for _, name := range n.Names {
				keep[name] = true
			}
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				keep[key] = !s.inside[key.Name]
			}
		case *ast.FuncDecl:
			keep[n.Name] = n.Recv != nil
		}
		return true
	})
	return keep
}

var firstWord = regexp.MustCompile(`(?m)^(\s*// )([A-Za-z][A-Za-z0-9]*) `)

// comments makes the comments name what they are about as the copy does.
func (s *Source) comments(text string) string {
	return firstWord.ReplaceAllStringFunc(text, func(match string) string {
		words := firstWord.FindStringSubmatch(match)
		if !s.idents[words[2]] || strings.HasPrefix(words[1], "\t") {
			return match
		}
		return words[1] + s.rename(words[2]) + " "
	})
}
