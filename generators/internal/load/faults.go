package load

import (
	"go/ast"
	"go/token"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

// Faults are what the type checker says about the hand-written declarations of a package, except
// for what generated code may mend when it is there.
func (s *Set) Faults(p *Package) []diag.Problem {
	var out []diag.Problem
	for _, e := range p.errors {
		f := p.fileAt(e.Pos)
		if f == nil || p.foreign[f] || strings.HasPrefix(e.Msg, "\t") || mayBeMended(e.Msg) {
			continue
		}
		out = append(out, diag.Problem{Pos: s.position(e.Pos), Path: declarationAt(f, e.Pos), Message: e.Msg})
	}
	return out
}

// Unknown are the places of fields whose types are not known, with what the type checker says.
func (s *Set) Unknown() map[token.Position]string {
	out := map[token.Position]string{}
	for _, p := range s.packages {
		for _, e := range p.errors {
			if f := p.fileAt(e.Pos); f != nil && strings.Contains(declarationAt(f, e.Pos), ".") {
				at := s.position(e.Pos)
				out[token.Position{Filename: at.Filename, Line: at.Line}] = e.Msg
			}
		}
	}
	return out
}

// mayBeMended tells whether an error may be that something generated is not there yet.
func mayBeMended(message string) bool {
	for _, part := range []string{"undefined", "missing method", "wrong type for method", "does not implement", "does not satisfy", "cannot use", "invalid type"} {
		if strings.Contains(message, part) {
			return true
		}
	}
	return false
}

func (p *Package) fileAt(pos token.Pos) *ast.File {
	for _, f := range p.files {
		if f.FileStart <= pos && pos < f.FileEnd {
			return f
		}
	}
	return nil
}

// declarationAt names the type, or the field of one, that a position is in; "" for other places.
func declarationAt(f *ast.File, pos token.Pos) string {
	path := ""
	for _, decl := range f.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || pos < gen.Pos() || gen.End() <= pos {
			continue
		}
		for _, spec := range gen.Specs {
			markSpec(spec, func(at token.Pos, name string, _ tag.Scope) {
				if at <= pos {
					path = name
				}
			})
		}
	}
	return path
}
