package load

import (
	"go/token"
	gotypes "go/types"
	"path/filepath"
	"slices"

	"k8s.io/gengo/v2/types"
)

// TypePos returns where a named type is declared; the zero position for other types.
func (s *Set) TypePos(t *types.Type) token.Position {
	if obj := s.objects[t]; obj != nil {
		return s.position(obj.Pos())
	}
	return token.Position{}
}

// FuncPos returns where a function, variable or constant of a package is declared, or a method of a
// type.
func (s *Set) FuncPos(fn *types.Type) token.Position { return s.TypePos(fn) }

// MemberPos returns where a field of a struct type is declared, the position of the type if there
// is no such field.
func (s *Set) MemberPos(t *types.Type, name string) token.Position {
	if st := s.members[t]; st != nil {
		for i := range st.NumFields() {
			if st.Field(i).Name() == name {
				return s.position(st.Field(i).Pos())
			}
		}
	}
	return s.TypePos(t)
}

// AliasPos returns where an alias is declared.
func (s *Set) AliasPos(a Alias) token.Position { return s.position(a.Go.Pos()) }

// PackagePos returns the package clause that package tags belong to: that of doc.go, or of the
// first file.
func (s *Set) PackagePos(p *Package) token.Position {
	for _, f := range p.files {
		if filepath.Base(s.fset.Position(f.Package).Filename) == "doc.go" {
			return s.position(f.Package)
		}
	}
	for _, f := range p.files {
		return s.position(f.Package)
	}
	return token.Position{Filename: s.relative(p.Dir)}
}

// ObjectPos returns where an object of go/types is declared.
func (s *Set) ObjectPos(obj gotypes.Object) token.Position { return s.position(obj.Pos()) }

// TypeError returns what the type checker said about the place of a field's type, like "undefined:
// Foo"; "" if it said nothing. It explains fields whose type is types.Unsupported.
func (s *Set) TypeError(t *types.Type, member string) string {
	obj := s.objects[t]
	st := s.members[t]
	if obj == nil || st == nil || obj.Pkg() == nil {
		return ""
	}
	p := s.packages[obj.Pkg().Path()]
	if p == nil {
		return ""
	}
	for i := range st.NumFields() {
		if f := st.Field(i); f.Name() == member {
			at := s.fset.Position(f.Pos())
			for _, e := range p.errors {
				if pos := s.fset.Position(e.Pos); pos.Filename == at.Filename && pos.Line == at.Line {
					return e.Msg
				}
			}
		}
	}
	return ""
}

func (s *Set) position(pos token.Pos) token.Position {
	if !pos.IsValid() {
		return token.Position{}
	}
	p := s.fset.Position(pos)
	p.Filename = s.relative(p.Filename)
	return p
}

// relative makes a file name relative to the folder that the run is in, if that is shorter.
func (s *Set) relative(name string) string {
	rel, err := filepath.Rel(s.dir, name)
	if err != nil || !filepath.IsAbs(name) || len(rel) > len(name) {
		return name
	}
	return rel
}

// HasFile tells whether a hand-written Go file of this base name belongs to the package.
func (p *Package) HasFile(base string) bool {
	return slices.ContainsFunc(p.node.files, func(name string) bool { return filepath.Base(name) == base }) &&
		!slices.Contains(p.generated, base)
}
