package load

import (
	"cmp"
	"go/ast"
	gotypes "go/types"
	"strconv"

	"k8s.io/gengo/v2/types"
)

// NamedAfter is the declared type that another one is named after: Base for "type Derived Base". In
// go/types, and so in the model, both are what lies below. It is nil for all other types, and where
// the source of the package was not read.
func (s *Set) NamedAfter(t *types.Type) *types.Type {
	obj, ok := s.objects[t].(*gotypes.TypeName)
	if !ok || obj.Pkg() == nil {
		return nil
	}
	p := s.packages[obj.Pkg().Path()]
	if p == nil || obj.Parent() != obj.Pkg().Scope() {
		return nil
	}
	named, ok := p.after(s)[obj.Name()].(*gotypes.TypeName)
	if !ok {
		return nil
	}
	if out := s.TypeOf(named.Type()); out != t && out.Name.Package != "" {
		return out
	}
	return nil
}

// after are the declared types that types of a package are named after.
func (p *Package) after(s *Set) map[string]gotypes.Object {
	if p.namedAfter != nil && p.readFiles == len(p.files) {
		return p.namedAfter
	}
	p.namedAfter, p.readFiles = map[string]gotypes.Object{}, len(p.files)
	for _, f := range p.files {
		for _, decl := range f.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range gen.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok && !spec.Assign.IsValid() {
					p.namedAfter[spec.Name.Name] = s.typeNamed(p, f, spec.Type)
				}
			}
		}
	}
	return p.namedAfter
}

// typeNamed is what a name in a file stands for, nil if it is none of a package.
func (s *Set) typeNamed(p *Package, f *ast.File, expr ast.Expr) gotypes.Object {
	switch e := ast.Unparen(expr).(type) {
	case *ast.Ident:
		if p.Go != nil {
			return p.Go.Scope().Lookup(e.Name)
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			if imported := s.importedAs(f, x.Name); imported != nil {
				return imported.Scope().Lookup(e.Sel.Name)
			}
		}
	case *ast.IndexExpr: // of an instance, the generic type has the comments
		return s.typeNamed(p, f, e.X)
	case *ast.IndexListExpr:
		return s.typeNamed(p, f, e.X)
	}
	return nil
}

// importedAs is the package that a file calls by a name.
func (s *Set) importedAs(f *ast.File, name string) *gotypes.Package {
	for _, spec := range f.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		n := s.nodes[path]
		if err != nil || n == nil || n.pkg == nil {
			continue
		}
		own := ""
		if spec.Name != nil {
			own = spec.Name.Name
		}
		if cmp.Or(own, n.pkg.Name()) == name {
			return n.pkg
		}
	}
	return nil
}
