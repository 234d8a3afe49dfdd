package load

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	gotypes "go/types"
	"runtime"
)

// Packages of other modules are read like those of the main module, with three differences.
// Generated files belong to them, because their methods decide how a type is used. Comments are
// parsed only on demand: see DependencyComments. An error in a declaration makes the package one
// that cannot be imported.

// fault is the reason for which a package cannot be imported.
type fault struct{ message, cure string }

// parseOutside parses a file of another module, and drops function bodies and what only they need.
func (s *Set) parseOutside(n *node, name string) *source {
	out := &source{name: name}
	data, err := s.readFile(name)
	if err != nil {
		out.fault = &fault{message: err.Error()}
		return out
	}
	blankBodies(data)
	out.file, err = parser.ParseFile(s.fset, name, data, parser.SkipObjectResolution)
	if err != nil {
		out.fault = s.syntaxFault(n, err)
		return out
	}
	trim(out.file)
	return out
}

// trim drops function bodies, and values of variables with a declared type.
func trim(file *ast.File) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Body != nil {
				decl.Body = &ast.BlockStmt{Lbrace: decl.Body.Lbrace, Rbrace: decl.Body.Rbrace}
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && v.Type != nil && decl.Tok == token.VAR {
					v.Values = nil
				}
			}
		}
	}
}

// selectedNames returns the names that declarations of a file select from outside of function
// bodies, as metav1 in metav1.ObjectMeta. An import under another name is not needed to know the
// types of the file.
func selectedNames(file *ast.File) map[string]bool {
	out := map[string]bool{}
	for _, decl := range file.Decls {
		ast.Inspect(decl, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt:
				return false
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					out[x.Name] = true
				}
			}
			return true
		})
	}
	return out
}

// syntaxFault is the first of the errors of a parser.
func (s *Set) syntaxFault(n *node, err error) *fault {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return &fault{message: err.Error()}
	}
	list[0].Pos.Filename = s.relative(list[0].Pos.Filename)
	return &fault{list[0].Error(), n.cure()}
}

// typeFault is an error of the type checker.
func (s *Set) typeFault(n *node, e gotypes.Error) *fault {
	return &fault{fmt.Sprintf("%s: %s", s.position(e.Pos), e.Msg), n.cure()}
}

// cure returns the cure of an error in the source of a package. The standard library has one if it
// is newer than the type checker that gen was built with.
func (n *node) cure() string {
	if n.module == "" {
		return fmt.Sprintf("build gen with the release of Go that the go command has: it was built with %s", runtime.Version())
	}
	return fmt.Sprintf("correct the file, or require another version of %s", n.module)
}

// missing is the fault of a package that imports one without files.
func (s *Set) missing(path string) *fault {
	var f fault
	if n := s.nodes[path]; n != nil && n.problem != "" {
		f.message, f.cure = advice(n.problem)
	} else {
		f.message = path + " has no Go files"
	}
	return &f
}
