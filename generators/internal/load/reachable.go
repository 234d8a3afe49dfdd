package load

import (
	"go/ast"
	"go/token"
)

// keepReachable drops the declarations of a package that no exported declaration needs, so that
// what they import is not read. A method belongs to its type.
func keepReachable(files []*ast.File) {
	r := reach{byName: map[string][]ast.Node{}, kept: map[ast.Node]bool{}}
	for _, f := range files {
		for _, decl := range f.Decls {
			for part, names := range parts(decl) {
				for _, name := range names {
					r.byName[name] = append(r.byName[name], part)
				}
			}
		}
	}
	for name := range r.byName {
		if token.IsExported(name) {
			r.keep(name)
		}
	}
	for _, f := range files {
		kept := f.Decls[:0]
		for _, decl := range f.Decls {
			if r.filter(decl) {
				kept = append(kept, decl)
			}
		}
		f.Decls = kept
	}
}

// reach follows names from one declaration to others of the package.
type reach struct {
	byName map[string][]ast.Node
	kept   map[ast.Node]bool
}

// parts returns what can be dropped of a declaration, with the names that need it. A group of
// constants is one part because a line may repeat the expression of an earlier line.
func parts(decl ast.Decl) map[ast.Node][]string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return map[ast.Node][]string{d: {d.Name.Name}}
		}
		return map[ast.Node][]string{d: {receiver(d)}}
	case *ast.GenDecl:
		out := map[ast.Node][]string{}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				out[spec] = []string{spec.Name.Name}
			case *ast.ValueSpec:
				part := ast.Node(spec)
				if d.Tok == token.CONST {
					part = d
				}
				for _, name := range spec.Names {
					out[part] = append(out[part], name.Name)
				}
			}
		}
		return out
	}
	return nil
}

// receiver returns the name of the type that a method belongs to, the first name of "*List[T]".
func receiver(d *ast.FuncDecl) (name string) {
	for _, field := range d.Recv.List {
		ast.Inspect(field.Type, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && name == "" {
				name = id.Name
			}
			return name == ""
		})
	}
	return name
}

// keep keeps the declarations of a name, and all that they need.
func (r reach) keep(name string) {
	for _, part := range r.byName[name] {
		if r.kept[part] {
			continue
		}
		r.kept[part] = true
		ast.Inspect(part, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				r.keep(id.Name)
			}
			return true
		})
	}
}

// filter drops the parts of a declaration that are not kept, and reports whether one is left.
func (r reach) filter(decl ast.Decl) bool {
	d, ok := decl.(*ast.GenDecl)
	if !ok || d.Tok == token.CONST {
		return r.kept[decl]
	}
	if d.Tok == token.IMPORT {
		return true
	}
	kept := d.Specs[:0]
	for _, spec := range d.Specs {
		if r.kept[spec] {
			kept = append(kept, spec)
		}
	}
	d.Specs = kept
	return len(kept) > 0
}
