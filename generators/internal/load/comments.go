package load

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"iter"
	"path/filepath"
	"sort"
	"strings"

	"k8s.io/gengo/v2/types"
)

// Lines are the lines without the marks of a comment.
func (c *Comment) Lines() []string {
	if c == nil {
		return nil
	}
	return splitLines(c.group.Text())
}

// Comments are the blocks that belong to a declaration or a field. Either may be nil.
type Comments struct {
	// Far is the last block before Near, behind whatever is declared before: blank lines stand
	// between the two. kubebuilder writes markers there.
	Far *Comment
	// Near ends on the line above.
	Near *Comment
}

// fileKey names a source file. Files of other modules are parsed twice, at different positions.
type fileKey struct{ pkg, base string }

// lineKey is a line on which a declaration, or a field, has its name.
type lineKey struct {
	line  int
	field bool
}

// fileDocs are the comments of a file by what they stand above. Comments behind code on the same
// line are not among them: they describe that line, not the one below.
type fileDocs struct {
	above    map[lineKey]Comments
	trailing map[*ast.CommentGroup]bool
}

// index remembers the comments of a file of a package.
func (s *Set) index(pkg string, f *ast.File) {
	x := indexer{
		set: s, file: s.fset.File(f.Package), byEnd: map[int]*ast.CommentGroup{},
		docs: &fileDocs{above: map[lineKey]Comments{}, trailing: map[*ast.CommentGroup]bool{}},
	}
	x.findTrailing(f)
	for _, g := range f.Comments {
		if !x.docs.trailing[g] {
			x.byEnd[x.file.Line(g.End())] = g
			x.blocks = append(x.blocks, g)
		}
	}
	after := f.Name.End()
	for _, decl := range f.Decls {
		x.decl(decl, after)
		after = decl.End()
	}
	s.docs[fileKey{pkg, filepath.Base(x.file.Name())}] = x.docs
}

// indexer finds what the comments of one file stand above.
type indexer struct {
	set    *Set
	file   *token.File
	byEnd  map[int]*ast.CommentGroup // by the line on which they end
	blocks []*ast.CommentGroup       // in the order of the source
	docs   *fileDocs
}

// findTrailing finds the comments behind code on the same line.
func (x *indexer) findTrailing(f *ast.File) {
	opened := map[int]token.Pos{} // where a brace or parenthesis ends the code of a line
	note := func(g *ast.CommentGroup) {
		if g != nil {
			x.docs.trailing[g] = true
		}
	}
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		ast.Inspect(gen, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field:
				note(n.Comment)
			case *ast.TypeSpec:
				note(n.Comment)
			case *ast.FieldList:
				if n.Opening.IsValid() {
					opened[x.file.Line(n.Opening)] = n.Opening
				}
			case *ast.GenDecl:
				if n.Lparen.IsValid() {
					opened[x.file.Line(n.Lparen)] = n.Lparen
				}
			case *ast.ValueSpec:
				note(n.Comment)
			case *ast.ImportSpec:
				note(n.Comment)
			}
			return true
		})
	}
	for _, g := range f.Comments {
		if at, ok := opened[x.file.Line(g.Pos())]; ok && at < g.Pos() {
			x.docs.trailing[g] = true
		}
	}
}

// decl finds the comments of a declaration; what stands before after is somebody else's.
func (x *indexer) decl(decl ast.Decl, after token.Pos) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		x.put(d.Name.Pos(), after, false)
	case *ast.GenDecl:
		if d.Lparen.IsValid() {
			after = d.Lparen
		}
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				x.put(spec.Name.Pos(), after, false)
				x.fields(spec.Type)
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					x.put(name.Pos(), after, false)
				}
			}
			after = spec.End()
		}
	}
}

// fields descends into the fields of struct types, also of those inside of other types.
func (x *indexer) fields(expr ast.Expr) {
	for st := range structsIn(expr) {
		after := st.Fields.Opening
		for _, field := range st.Fields.List {
			at := []token.Pos{field.Pos()}
			for _, name := range field.Names {
				at = append(at, name.Pos())
			}
			for _, pos := range at {
				if _, isType := x.docs.above[lineKey{x.file.Line(pos), false}]; !isType { // "type T struct{ F int }"
					x.put(pos, after, true)
				}
			}
			x.fields(field.Type)
			after = field.End()
		}
	}
}

// structsIn are the structs without a name that a type is or is made of, without those in their
// fields.
func structsIn(expr ast.Expr) iter.Seq[*ast.StructType] {
	return func(yield func(*ast.StructType) bool) {
		more := true
		ast.Inspect(expr, func(n ast.Node) bool {
			st, isStruct := n.(*ast.StructType)
			_, isFunc := n.(*ast.FuncType)
			_, isInterface := n.(*ast.InterfaceType)
			more = more && (!isStruct || yield(st))
			return more && !isStruct && !isFunc && !isInterface
		})
	}
}

// put remembers the comments above a name.
func (x *indexer) put(name, after token.Pos, field bool) {
	line := x.file.Line(name)
	near := x.byEnd[line-1]
	if near != nil && near.Pos() < after {
		near = nil
	}
	before := x.file.LineStart(line)
	if near != nil {
		before = near.Pos()
	}
	var far *ast.CommentGroup
	if i := sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].End() > before }); i > 0 && x.blocks[i-1].Pos() > after {
		far = x.blocks[i-1]
	}
	x.docs.above[lineKey{line, field}] = Comments{x.set.comment(far), x.set.comment(near)}
}

// comment is the one Comment of a block.
func (s *Set) comment(g *ast.CommentGroup) *Comment {
	if g == nil {
		return nil
	}
	if s.comments[g] == nil {
		s.comments[g] = &Comment{s, g}
	}
	return s.comments[g]
}

// Comments returns the comments of a declared type, function, method, variable or constant.
func (s *Set) Comments(of *types.Type) Comments { return s.commentsOf(s.objects[of]) }

// FieldComments returns the comments of a field of a struct type, by its place in the struct.
func (s *Set) FieldComments(of *types.Type, i int) Comments {
	st := s.members[of]
	if st == nil {
		return Comments{}
	}
	return s.commentsOf(st.Field(i))
}

// AliasComments returns the comments of an alias.
func (s *Set) AliasComments(a Alias) Comments { return s.commentsOf(a.Go) }

func (s *Set) commentsOf(obj gotypes.Object) Comments {
	if obj == nil || obj.Pkg() == nil || !obj.Pos().IsValid() {
		return Comments{}
	}
	pos := s.fset.Position(obj.Pos())
	docs := s.docs[fileKey{obj.Pkg().Path(), filepath.Base(pos.Filename)}]
	if docs == nil {
		return Comments{}
	}
	v, ok := obj.(*gotypes.Var)
	return docs.above[lineKey{pos.Line, ok && v.IsField()}]
}

func splitLines(text string) []string {
	text = strings.TrimRight(text, "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// PackageComments are the comments that package tags stand in: all of doc.go, and what stands above
// the package clause of other files.
func (s *Set) PackageComments(p *Package) []*Comment {
	var out []*Comment
	for _, f := range p.files {
		isDoc := filepath.Base(s.fset.Position(f.Package).Filename) == "doc.go"
		for _, g := range f.Comments {
			if isDoc || g.End() < f.Package {
				out = append(out, s.comment(g))
			}
		}
	}
	return out
}

// LooseComments are those with tags in which controller-gen looks for some of the package, too.
// They stand above no declaration, or are the block before the comment of a type.
func (s *Set) LooseComments(p *Package) []*Comment {
	if p.looseIn == len(p.files) {
		return p.loose
	}
	p.loose, p.looseIn = nil, len(p.files)
	for _, f := range p.files {
		far := s.farBlocks(p, f)
		places := s.places(p, f)
		for _, g := range f.Comments {
			c := s.comment(g)
			if at := places[g]; (far[g] || at == (Place{}) && !inDecl(f, g)) && len(c.Tags()) > 0 {
				p.loose = append(p.loose, c)
			}
		}
	}
	return p.loose
}

// farBlocks are the blocks before the comments of a file's types.
func (s *Set) farBlocks(p *Package, f *ast.File) map[*ast.CommentGroup]bool {
	out := map[*ast.CommentGroup]bool{}
	docs := s.docs[fileKey{p.Path, filepath.Base(s.fset.Position(f.Package).Filename)}]
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range gen.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				if c := docs.above[lineKey{s.fset.Position(spec.Name.Pos()).Line, false}].Far; c != nil {
					out[c.group] = true
				}
			}
		}
	}
	return out
}

// PackageDoc is the comment above the package clause of doc.go.
func (s *Set) PackageDoc(p *Package) []string {
	for _, f := range p.files {
		if f.Doc != nil && filepath.Base(s.fset.Position(f.Package).Filename) == "doc.go" {
			return splitLines(f.Doc.Text())
		}
	}
	return nil
}

// DependencyComments parses a package of another module again, so that its types have comments. It
// does nothing for packages that have them.
func (s *Set) DependencyComments(path string) error {
	p := s.Package(path)
	if p == nil {
		return fmt.Errorf("package %s is not known", path)
	}
	if p.Main || p.files != nil {
		return nil
	}
	for _, name := range p.node.files {
		data, err := s.readFile(name)
		if err != nil {
			return fmt.Errorf("comments of %s: %w", path, err)
		}
		blankBodies(data)
		f, err := parser.ParseFile(s.fset, name, data, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("comments of %s: %w", path, err)
		}
		p.files = append(p.files, f)
		s.index(path, f)
	}
	return nil
}
