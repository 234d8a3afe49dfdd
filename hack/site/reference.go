package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/printer"
	"go/token"
	"strings"
)

// reference prints the page of a package: its comment, then its functions and types, each with its
// declaration and comment. A type that is an alias of one below internal/ is printed as that one,
// for users know it by no other name.
type reference struct {
	site   *site
	of     *goPackage
	pages  map[string]*goPackage
	inside map[string]*goPackage // below internal/, by path
	text   strings.Builder
}

func (r *reference) print() error {
	r.inside = map[string]*goPackage{}
	p := r.of
	fmt.Fprintf(&r.text, "# Package %s\n\n```go\nimport \"%s\"\n```\n\n", p.Name, p.path)
	r.comment(p, p.Doc)
	if err := r.examples(p.Examples); err != nil {
		return err
	}
	if err := r.values("Constants", p.Consts); err != nil {
		return err
	}
	if err := r.values("Variables", p.Vars); err != nil {
		return err
	}
	if len(p.Funcs) > 0 {
		r.text.WriteString("## Functions\n\n")
	}
	if err := r.functions(p, p.Name, p.Funcs); err != nil {
		return err
	}
	if len(p.Types) > 0 {
		r.text.WriteString("## Types\n\n")
	}
	for _, t := range p.Types {
		if err := r.typed(t); err != nil {
			return err
		}
	}
	return nil
}

func (r *reference) typed(t *doc.Type) error {
	of, name, err := r.aliased(t)
	if err != nil {
		return err
	}
	shown, from := t, r.of
	for _, inner := range typesOf(of) {
		if inner.Name == name {
			shown, from = inner, of
		}
	}
	fmt.Fprintf(&r.text, "### %s\n\n", t.Name)
	if err := r.code(from, shown.Decl); err != nil {
		return err
	}
	if t.Doc != "" {
		r.comment(r.of, t.Doc)
	} else {
		r.comment(from, shown.Doc)
	}
	if err := r.examples(t.Examples); err != nil {
		return err
	}
	for _, values := range [][]*doc.Value{t.Consts, t.Vars} {
		if err := r.values("", values); err != nil {
			return err
		}
	}
	if err := r.functions(r.of, "", t.Funcs); err != nil {
		return err
	}
	return r.functions(from, t.Name, shown.Methods)
}

func typesOf(p *goPackage) []*doc.Type {
	if p == nil {
		return nil
	}
	return p.Types
}

func (r *reference) values(title string, values []*doc.Value) error {
	if title != "" && len(values) > 0 {
		fmt.Fprintf(&r.text, "## %s\n\n", title)
	}
	for _, v := range values {
		if err := r.code(r.of, v.Decl); err != nil {
			return err
		}
		r.comment(r.of, v.Doc)
	}
	return nil
}

// functions prints some, or the methods of a type that is called receiver here.
func (r *reference) functions(from *goPackage, receiver string, functions []*doc.Func) error {
	for _, f := range functions {
		name := f.Name
		if f.Recv != "" {
			name = receiver + "." + f.Name
		}
		fmt.Fprintf(&r.text, "### %s\n\n", name)
		if err := r.code(from, f.Decl); err != nil {
			return err
		}
		r.comment(from, f.Doc)
		if err := r.examples(f.Examples); err != nil {
			return err
		}
	}
	return nil
}

// examples prints those of a name: as whole programs, where they can be, else what is in the
// braces.
func (r *reference) examples(examples []*doc.Example) error {
	for _, e := range examples {
		var node any = &printer.CommentedNode{Node: e.Code, Comments: e.Comments}
		if e.Play != nil {
			node = e.Play
		}
		var b bytes.Buffer
		if err := format.Node(&b, r.of.fset, node); err != nil {
			return err
		}
		text := b.String()
		if inner, ok := strings.CutPrefix(text, "{\n"); ok {
			text = strings.ReplaceAll("\n"+strings.TrimSuffix(inner, "}"), "\n\t", "\n")
		}
		fmt.Fprintf(&r.text, "Example:\n\n```go\n%s\n```\n\n", strings.TrimSpace(text))
	}
	return nil
}

// code prints a declaration without its comment, which stands below it.
func (r *reference) code(from *goPackage, node ast.Node) error {
	switch decl := node.(type) {
	case *ast.GenDecl:
		decl.Doc = nil
		if len(decl.Specs) == 1 && decl.Lparen == token.NoPos {
			if spec, ok := decl.Specs[0].(*ast.TypeSpec); ok {
				spec.Doc = nil
			}
		}
	case *ast.FuncDecl:
		decl.Doc, decl.Body = nil, nil
	}
	var b bytes.Buffer
	if err := format.Node(&b, from.fset, node); err != nil {
		return err
	}
	fmt.Fprintf(&r.text, "```go\n%s\n```\n\n", bytes.TrimSpace(b.Bytes()))
	return nil
}

// comment prints one of a package, in which links name what that package has.
func (r *reference) comment(from *goPackage, text string) {
	r.text.Write(r.printer(from).Markdown(from.Parser().Parse(text)))
	r.text.WriteString("\n")
}
