package gen

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// source is a Go file that tests write anew.
type source struct {
	data []byte
	set  *token.FileSet
	file *ast.File
}

// edit puts text in place of a part of a file.
type edit struct {
	from, to int
	text     string
}

func parse(t testing.TB, data []byte) *source {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", data, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return &source{data, set, file}
}

func (s *source) at(pos token.Pos) int { return s.set.Position(pos).Offset }

// text is what stands between two places.
func (s *source) text(from, to token.Pos) string { return string(s.data[s.at(from):s.at(to)]) }

// put replaces a node, or what stands between two places.
func (s *source) put(n ast.Node, text string) edit { return edit{s.at(n.Pos()), s.at(n.End()), text} }

// lines are the whole lines from one place to another.
func (s *source) lines(from, to token.Pos) edit {
	e := edit{from: s.at(from), to: s.at(to)}
	for e.from > 0 && s.data[e.from-1] != '\n' {
		e.from--
	}
	for e.to < len(s.data) && s.data[e.to] != '\n' {
		e.to++
	}
	e.to = min(e.to+1, len(s.data))
	return e
}

// apply makes all edits, which do not overlap, and formats the file if it can still be read.
func (s *source) apply(edits ...edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(append(out, s.data[at:e.from]...), e.text...)
		at = e.to
	}
	out = append(out, s.data[at:]...)
	if formatted, err := format.Source(out); err == nil {
		return formatted
	}
	return out
}

// declared is a type of a file, or a field of one.
type declared struct {
	// name is "Book" or "Book.Spec".
	name string
	doc  *ast.CommentGroup
	spec *ast.TypeSpec
	// decl is the declaration of a type that is alone in it, owner the struct of a field, field nil
	// for a type.
	decl  *ast.GenDecl
	owner *ast.StructType
	field *ast.Field
}

// start is where the comment or the code begins.
func (d declared) start() token.Pos {
	if d.doc != nil {
		return d.doc.Pos()
	}
	return d.code()
}

// code is where it begins behind its comment.
func (d declared) code() token.Pos {
	if d.field != nil {
		return d.field.Pos()
	}
	return d.decl.Pos()
}

// end is where the code ends.
func (d declared) end() token.Pos {
	if d.field != nil {
		return d.field.End()
	}
	return d.decl.End()
}

// types are the types of the file, and fields the fields of its structs, in the order of the
// source.
func (s *source) types() (out []declared) {
	for _, decl := range s.file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE || len(gen.Specs) != 1 {
			continue
		}
		spec := gen.Specs[0].(*ast.TypeSpec)
		out = append(out, declared{name: spec.Name.Name, doc: gen.Doc, spec: spec, decl: gen})
	}
	return out
}

func (s *source) fields() (out []declared) {
	for _, t := range s.types() {
		st, ok := t.spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		for _, f := range st.Fields.List {
			out = append(out, declared{name: t.name + "." + fieldName(f), doc: f.Doc, spec: t.spec, decl: t.decl, owner: st, field: f})
		}
	}
	return out
}

// fieldName is the name of a field; an embedded one is called after its type.
func fieldName(f *ast.Field) string {
	if len(f.Names) > 0 {
		return f.Names[0].Name
	}
	text := f.Type
	for {
		switch t := text.(type) {
		case *ast.StarExpr:
			text = t.X
		case *ast.SelectorExpr:
			return t.Sel.Name
		case *ast.Ident:
			return t.Name
		default:
			return fmt.Sprint(t)
		}
	}
}

// markerIn is a comment line that is a marker.
var markerIn = regexp.MustCompile(`^//\s*\+`)

// markers are the lines of a comment that are markers.
func markers(doc *ast.CommentGroup) (out []*ast.Comment) {
	if doc == nil {
		return nil
	}
	for _, c := range doc.List {
		if markerIn.MatchString(c.Text) {
			out = append(out, c)
		}
	}
	return out
}

// named is what a marker is called: "kubebuilder:resource".
func named(marker string) string {
	name := strings.TrimLeft(strings.TrimPrefix(marker, "//"), " \t+")
	for i, r := range name {
		if strings.ContainsRune("=({ ", r) {
			return strings.TrimSuffix(name[:i], ":")
		}
	}
	return name
}
