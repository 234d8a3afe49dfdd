package load

import (
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/typeplane/typeplane/generators/internal/tag"
)

// TagLine is a comment line that starts with a plus sign.
type TagLine struct {
	Pos token.Position
	// Text is the line from the plus sign on.
	Text string
}

// Place is what a comment stands on.
type Place struct {
	Comment *Comment
	// Path names it: "Book", "Book.Spec", "Convert_a_To_b"; "" for the package and for comments
	// that stand on nothing.
	Path string
	// Scope is its kind, tag.Anywhere if the comment stands on nothing.
	Scope tag.Scope
	// Trailing tells that the comment stands behind code on the same line, where no plug-in looks.
	Trailing bool
}

// Places returns the comments of the hand-written files of a package of the main module, in the
// order of the source. Those inside function bodies are left out.
func (s *Set) Places(p *Package) []Place { return s.placesIn(p, false) }

// ForeignPlaces are those in the files that other tools made, which nobody mends by hand.
func (s *Set) ForeignPlaces(p *Package) []Place { return s.placesIn(p, true) }

func (s *Set) placesIn(p *Package, foreign bool) []Place {
	var out []Place
	for _, f := range p.files {
		if p.foreign[f] != foreign {
			continue
		}
		places := s.places(p, f)
		for _, g := range f.Comments {
			if inBody(f, g) {
				continue
			}
			at := places[g]
			at.Comment = s.comment(g)
			out = append(out, at)
		}
	}
	return out
}

// places finds what the comments of a file stand on.
func (s *Set) places(p *Package, f *ast.File) map[*ast.CommentGroup]Place {
	name := s.fset.Position(f.Package).Filename
	isDoc := filepath.Base(name) == "doc.go"
	docs := s.docs[fileKey{p.Path, filepath.Base(name)}]
	out := map[*ast.CommentGroup]Place{}
	for g := range docs.trailing {
		out[g] = Place{Trailing: true}
	}
	for _, g := range f.Comments {
		if g.End() < f.Package || isDoc && !out[g].Trailing {
			out[g] = Place{Scope: tag.Package}
		}
	}
	mark := func(pos token.Pos, path string, scope tag.Scope) {
		above := docs.above[lineKey{s.fset.Position(pos).Line, scope == tag.Field}]
		for _, c := range []*Comment{above.Far, above.Near} {
			if c != nil && (c == above.Near || scope == tag.Type || scope == tag.Field) { // for others, no tool reads further
				out[c.group] = Place{Path: path, Scope: scope | out[c.group].Scope}
			}
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			scope := tag.Func
			if d.Recv != nil {
				scope = tag.Method
			}
			mark(d.Name.Pos(), d.Name.Name, scope)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				markSpec(spec, mark)
			}
		}
	}
	for g, at := range out {
		// What stands between the declarations of doc.go is read as the package's, and as often it
		// is code that was commented out, with tags of anything.
		if g.Pos() > f.Package && at.Scope == tag.Package {
			delete(out, g)
		}
	}
	return out
}

func markSpec(spec ast.Spec, mark func(token.Pos, string, tag.Scope)) {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		mark(spec.Name.Pos(), spec.Name.Name, tag.Type)
		markFields(spec.Type, spec.Name.Name, mark)
	case *ast.ValueSpec:
		mark(spec.Pos(), spec.Names[0].Name, tag.Value)
	}
}

// markFields descends into the fields of struct types, also of those inside of other types.
func markFields(expr ast.Expr, path string, mark func(token.Pos, string, tag.Scope)) {
	for st := range structsIn(expr) {
		for _, field := range st.Fields.List {
			name := fieldName(field)
			mark(field.Pos(), path+"."+name, tag.Field)
			markFields(field.Type, path+"."+name, mark)
		}
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

// inDecl tells whether a comment stands inside of a declaration, a struct for example.
func inDecl(f *ast.File, g *ast.CommentGroup) bool {
	return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool { return d.Pos() < g.Pos() && g.End() <= d.End() })
}

func inBody(f *ast.File, g *ast.CommentGroup) bool {
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fn.Body != nil && fn.Body.Pos() < g.Pos() && g.End() <= fn.Body.End() {
			return true
		}
	}
	return false
}

// Tags are the lines that are tags. "//\t// +tag" is an example of one and none. Nor is a line "//
// +tag" inside of /* and */, where a field was commented out.
func (c *Comment) Tags() []TagLine {
	if c == nil {
		return nil
	}
	var out []TagLine
	for _, part := range c.group.List {
		start := c.set.position(part.Pos())
		marks := []string{"//"}
		if strings.HasPrefix(part.Text, "/*") {
			marks = []string{"/*", "*"}
		}
		for i, line := range strings.Split(strings.TrimSuffix(part.Text, "*/"), "\n") {
			text := strings.TrimLeftFunc(commentText(line, marks), unseen)
			if !strings.HasPrefix(text, "+") {
				continue
			}
			pos := start
			pos.Line, pos.Column = start.Line+i, 1
			if i == 0 {
				pos.Column = start.Column
			}
			pos.Column += strings.Index(line, text)
			out = append(out, TagLine{Pos: pos, Text: strings.TrimRightFunc(text, unseen)})
		}
	}
	return out
}

// unseen tells of a letter that nobody sees: white space of any width.
func unseen(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }

// commentText takes the mark of a comment off a line of it, one of some.
func commentText(line string, marks []string) string {
	line = strings.TrimLeft(line, " \t")
	for _, mark := range marks {
		if text, ok := strings.CutPrefix(line, mark); ok {
			return text
		}
	}
	return line
}
