package load

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"strings"

	"github.com/typeplane/typeplane/generators/tag"
)

// TagLine is a comment line that starts with a plus sign, with its place.
type TagLine struct {
	Pos token.Position
	// Path is what it stands on: "Book", "Book.Spec", "Convert_a_To_b"; "" for the package and for comments that
	// stand on nothing.
	Path string
	// Scope is the kind of that place, tag.Anywhere if it stands on nothing.
	Scope tag.Scope
	// Trailing tells that it stands behind code on the same line, where no plug-in looks.
	Trailing bool
	// Text is the line from the plus sign on.
	Text string
}

// TagLines returns all tags in the hand-written files of a package of the main module, in the order of the source.
// Comments inside function bodies are left out.
func (s *Set) TagLines(p *Package) []TagLine {
	var out []TagLine
	for _, f := range p.files {
		if p.foreign[f] {
			continue
		}
		places := s.places(p, f)
		for _, g := range f.Comments {
			if inBody(f, g) {
				continue
			}
			place := places[g]
			for _, line := range s.tagLines(g) {
				line.Path, line.Scope, line.Trailing = place.path, place.scope, place.trailing
				out = append(out, line)
			}
		}
	}
	return out
}

// place is what a comment stands on.
type place struct {
	path     string
	scope    tag.Scope
	trailing bool
}

// places finds what each comment of a file stands on, by the same rule as doc.
func (s *Set) places(p *Package, f *ast.File) map[*ast.CommentGroup]place {
	name := s.fset.Position(f.Package).Filename
	docs := s.docs[fileKey{p.Path, filepath.Base(name)}]
	out := map[*ast.CommentGroup]place{}
	for g := range docs.trailing {
		out[g] = place{trailing: true}
	}
	for _, g := range f.Comments {
		if g.End() < f.Package || filepath.Base(name) == "doc.go" && !out[g].trailing {
			out[g] = place{scope: tag.Package}
		}
	}
	mark := func(pos token.Pos, path string, scope tag.Scope, both bool) {
		line := docs.line(pos)
		if scope == tag.Field && docs.types[line] {
			return
		}
		near, far := docs.byEnd[line-1], docs.byEnd[line-2]
		if near != nil {
			far = docs.byEnd[docs.line(near.Pos())-2]
		}
		if !both {
			far = nil
		}
		for _, g := range []*ast.CommentGroup{near, far} {
			if g != nil {
				out[g] = place{path: path, scope: scope | out[g].scope}
			}
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			mark(d.Name.Pos(), d.Name.Name, tag.Func, true)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				markSpec(spec, mark)
			}
		}
	}
	for g, at := range out {
		// What stands between the declarations of doc.go is read as the package's, and as often it is code that was
		// commented out, with tags of anything.
		if g.Pos() > f.Package && at.scope == tag.Package {
			delete(out, g)
		}
	}
	return out
}

func markSpec(spec ast.Spec, mark func(token.Pos, string, tag.Scope, bool)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		mark(spec.Name.Pos(), spec.Name.Name, tag.Type, true)
		markFields(spec.Type, spec.Name.Name, mark)
	case *ast.ValueSpec:
		mark(spec.Pos(), spec.Names[0].Name, tag.Value, true)
	}
}

// markFields descends into the fields of struct types, also of those inside slices and maps.
func markFields(expr ast.Expr, path string, mark func(token.Pos, string, tag.Scope, bool)) {
	switch e := expr.(type) {
	case *ast.StructType:
		for _, field := range e.Fields.List {
			name := fieldName(field)
			mark(field.Pos(), path+"."+name, tag.Field, false)
			markFields(field.Type, path+"."+name, mark)
		}
	case *ast.StarExpr:
		markFields(e.X, path, mark)
	case *ast.ArrayType:
		markFields(e.Elt, path, mark)
	case *ast.MapType:
		markFields(e.Value, path, mark)
	}
}

func fieldName(field *ast.Field) string {
	if len(field.Names) > 0 {
		return field.Names[0].Name
	}
	expr := field.Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.SelectorExpr:
			return e.Sel.Name
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return "_"
		}
	}
}

func inBody(f *ast.File, g *ast.CommentGroup) bool {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && fn.Body.Pos() < g.Pos() && g.End() <= fn.Body.End() {
			return true
		}
	}
	return false
}

// tagLines cuts a comment into its lines and keeps those that are tags.
func (s *Set) tagLines(g *ast.CommentGroup) []TagLine {
	var out []TagLine
	for _, c := range g.List {
		start := s.position(c.Pos())
		for i, line := range strings.Split(c.Text, "\n") {
			text := strings.TrimLeft(commentText(line), " \t")
			if !strings.HasPrefix(text, "+") { // "//\t// +tag" is an example
				continue
			}
			pos := start
			pos.Line, pos.Column = start.Line+i, 1
			if i == 0 {
				pos.Column = start.Column
			}
			pos.Column += strings.Index(line, text)
			out = append(out, TagLine{Pos: pos, Text: strings.TrimRight(text, " \t*/\r")})
		}
	}
	return out
}

// commentText takes the mark of a comment off a line of it.
func commentText(line string) string {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range []string{"//", "/*", "*"} {
		if text, ok := strings.CutPrefix(line, mark); ok {
			return text
		}
	}
	return line
}
