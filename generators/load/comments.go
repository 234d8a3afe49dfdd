package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"path/filepath"
	"strings"

	"github.com/typeplane/typeplane/generators/tag"

	"k8s.io/gengo/v2/types"
)

// fileKey names a source file the same way for source and for export data.
type fileKey struct{ pkg, base string }

// fileDocs are the comments of a file by their last line. Comments behind code on the same line are not among them:
// they describe that line, not the one below.
type fileDocs struct {
	byEnd    map[int]*ast.CommentGroup
	trailing map[*ast.CommentGroup]bool
	types    map[int]bool // lines on which a type's name stands; a comment above is not that of a field on the line
	line     func(token.Pos) int
}

// index remembers the comments of a file of a package.
func (s *Set) index(pkg string, f *ast.File) {
	file := s.fset.File(f.Package)
	docs := &fileDocs{
		byEnd: map[int]*ast.CommentGroup{}, trailing: map[*ast.CommentGroup]bool{}, types: map[int]bool{},
		line: func(p token.Pos) int { return file.Line(p) },
	}
	opened := map[int]token.Pos{} // where a brace or parenthesis ends the code of a line
	note := func(g *ast.CommentGroup) {
		if g != nil {
			docs.trailing[g] = true
		}
	}
	for _, decl := range f.Decls {
		if gen, ok := decl.(*ast.GenDecl); ok {
			ast.Inspect(gen, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Field:
					note(n.Comment)
				case *ast.TypeSpec:
					note(n.Comment)
					docs.types[file.Line(n.Name.Pos())] = true
				case *ast.FieldList:
					if n.Opening.IsValid() {
						opened[file.Line(n.Opening)] = n.Opening
					}
				case *ast.GenDecl:
					if n.Lparen.IsValid() {
						opened[file.Line(n.Lparen)] = n.Lparen
					}
				case *ast.ValueSpec:
					note(n.Comment)
				case *ast.ImportSpec:
					note(n.Comment)
				}
				return true
			})
		}
	}
	for _, g := range f.Comments {
		if at, ok := opened[file.Line(g.Pos())]; ok && at < g.Pos() {
			docs.trailing[g] = true
		}
		if !docs.trailing[g] {
			docs.byEnd[file.Line(g.End())] = g
		}
	}
	s.docs[fileKey{pkg, filepath.Base(file.Name())}] = docs
}

// doc returns the comment that ends on the line above an object, and the one before that with a blank line between.
func (s *Set) doc(obj gotypes.Object) (lines, second []string) {
	if obj.Pkg() == nil || !obj.Pos().IsValid() {
		return nil, nil
	}
	pos := s.fset.Position(obj.Pos())
	docs := s.docs[fileKey{obj.Pkg().Path(), filepath.Base(pos.Filename)}]
	if docs == nil || isField(obj) && docs.types[pos.Line] {
		return nil, nil
	}
	near := docs.byEnd[pos.Line-1]
	far := docs.byEnd[pos.Line-2]
	if near != nil {
		far = docs.byEnd[docs.line(near.Pos())-2]
	}
	return splitLines(near.Text()), splitLines(far.Text())
}

func isField(obj gotypes.Object) bool {
	v, ok := obj.(*gotypes.Var)
	return ok && v.IsField()
}

func splitLines(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// docLines collects the comments that package tags stand in.
func (s *Set) docLines(p *Package) []string {
	var out []string
	for _, f := range p.files {
		isDoc := filepath.Base(s.fset.Position(f.Package).Filename) == "doc.go"
		for _, g := range f.Comments {
			if isDoc || g.End() < f.Package {
				out = append(out, splitLines(g.Text())...)
			}
		}
		if isDoc && f.Doc != nil {
			p.Types.DocComments = splitLines(f.Doc.Text())
		}
	}
	return out
}

// DependencyComments parses the source of a package that was loaded from export data, so that its types have
// comments. It does nothing for packages that have them.
func (s *Set) DependencyComments(path string) error {
	p := s.Package(path)
	if p == nil {
		return fmt.Errorf("package %s is not known", path)
	}
	if p.Main || p.files != nil {
		return nil
	}
	for _, name := range p.node.files {
		f, err := parser.ParseFile(s.fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("comments of %s: %w", path, err)
		}
		p.files = append(p.files, f)
		s.index(path, f)
	}
	p.DocLines = s.docLines(p)
	p.Types.Comments = p.DocLines
	for t, obj := range s.objects {
		if obj.Pkg() != nil && obj.Pkg().Path() == path {
			s.attach(t, obj)
		}
	}
	return nil
}

// attach gives a type that was walked before its comments were known the comments.
func (s *Set) attach(t *types.Type, obj gotypes.Object) {
	t.CommentLines, t.SecondClosestCommentLines = s.doc(obj)
	if st := s.members[t]; st != nil {
		for i := range st.NumFields() {
			t.Members[i].CommentLines, _ = s.doc(st.Field(i))
		}
	}
}

// Tags returns the raw values of the tags of a name in comment lines, see tag.Values.
func (s *Set) Tags(lines []string, name string) []string { return tag.Values(lines, name) }
