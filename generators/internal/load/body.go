package load

import (
	"go/ast"

	"k8s.io/gengo/v2/types"
)

// Reads are the fields that the body of a function of the main module reads of its first parameter,
// by their names in Go. ok is false where more of it may be read: the parameter is used as a whole,
// and not only passed on to the function called but.
func (s *Set) Reads(fn *types.Type, but string) (fields map[string]bool, ok bool) {
	decl := s.funcDecl(fn)
	if decl == nil || decl.Body == nil || len(decl.Type.Params.List[0].Names) == 0 {
		return nil, false
	}
	param := decl.Type.Params.List[0].Names[0].Name
	is := func(e ast.Expr) bool { id, isName := e.(*ast.Ident); return isName && id.Name == param }
	fields, ok = map[string]bool{}, true
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if is(n.X) {
				fields[n.Sel.Name] = true
				return false
			}
		case *ast.CallExpr:
			called, isName := n.Fun.(*ast.Ident)
			return !isName || called.Name != but
		case *ast.Ident:
			ok = ok && n.Name != param
		}
		return true
	})
	return fields, ok
}

// funcDecl is where a function is declared, nil where its source was not read.
func (s *Set) funcDecl(fn *types.Type) *ast.FuncDecl {
	obj := s.objects[fn]
	if obj == nil || s.packages[obj.Pkg().Path()] == nil {
		return nil
	}
	for _, f := range s.packages[obj.Pkg().Path()].files {
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && d.Name.Pos() == obj.Pos() {
				return d
			}
		}
	}
	return nil
}
