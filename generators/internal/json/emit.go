package json

import (
	"fmt"
	gotypes "go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// printer prints the functions of one package.
type printer struct {
	*emit.File
	model *model.Model
	pkg   *model.Package
	// json is the name of the runtime package in the file.
	json string
	// names are those of the unexported functions, without the verb.
	names map[*function]string
	taken map[string]bool
	// mayHaveFailed tells whether a field before the one that is printed can go wrong.
	mayHaveFailed bool
	// text is what P prints into.
	text *strings.Builder
}

func newPrinter(f *emit.File, m *model.Model, pkg *model.Package) *printer {
	f.Reserve("dst", "in", "out", "r", "err", "start", "seen", "inside", "ok", "open", "key", "value")
	return &printer{File: f, model: m, pkg: pkg, json: f.Import(runtimePath), names: map[*function]string{}, taken: map[string]bool{}, text: &strings.Builder{}}
}

// print prints the exported functions, sorted by name, and then the others.
func (p *printer) print(functions []*function) {
	p.P("//lint:file-ignore SA1019 deprecated fields are written and read too")
	p.P()
	for _, f := range functions {
		p.nameOf(f)
	}
	functions = slices.Clone(functions)
	slices.SortStableFunc(functions, func(a, b *function) int {
		if (a.name == "") != (b.name == "") {
			return len(b.name) - len(a.name)
		}
		return strings.Compare(a.name+p.nameOf(a), b.name+p.nameOf(b))
	})
	for _, f := range functions {
		if f.writes {
			p.appendFunc(f)
		}
		if f.reads {
			p.readFunc(f)
		}
	}
	p.File.P(p.text.String())
}

// P prints one line of strings and numbers.
func (p *printer) P(args ...any) {
	for _, arg := range args {
		fmt.Fprint(p.text, arg)
	}
	p.text.WriteByte('\n')
}

// aside returns what print prints instead of printing it.
func (p *printer) aside(print func()) string {
	whole := p.text
	defer func() { p.text = whole }()
	p.text = &strings.Builder{}
	print()
	return p.text.String()
}

// verb is the name of a function: "AppendJSON_Book", "readJSON_corev1_PodSpec".
func (p *printer) verb(verb string, f *function) string {
	if f.name != "" {
		return strings.ToUpper(verb[:1]) + verb[1:] + f.name
	}
	return verb + p.nameOf(f)
}

// nameOf names the functions for a type that only this file uses: by the package and the name of
// the type or, if it has none, by where it stands.
func (p *printer) nameOf(f *function) string {
	if f.name != "" {
		return ""
	}
	if name := p.names[f]; name != "" {
		return name
	}
	name := f.path
	if named, ok := f.typ.(*gotypes.Named); ok {
		name = strings.Replace(p.typ(f.typ), ".", "_", 1)
		if named.TypeArgs().Len() > 0 {
			name = reflectText(f.typ)
			name = name[strings.IndexByte(name, '.')+1:]
		}
	}
	name = strings.Trim(strings.Map(func(c rune) rune {
		if c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '_'
	}, name), "_")
	for base, i := name, 2; p.taken[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	p.names[f], p.taken[name] = name, true
	return name
}

// typ is a type as this file writes it.
func (p *printer) typ(t gotypes.Type) string { return p.Type(p.model.TypeOf(t)) }

// callee is the name of the function for values of a node that has one.
func (p *printer) callee(verb string, n *node) string {
	if n.function != nil {
		return p.verb(verb, n.function)
	}
	named := n.typ.(*gotypes.Named).Obj().Name()
	return p.Ident(n.path, strings.ToUpper(verb[:1])+verb[1:]+named)
}

// ref is a value in printed code, and a pointer to it.
type ref struct{ value, pointer string }

// star is the value that a pointer points to.
func star(pointer string) ref { return ref{"*" + pointer, pointer} }

// operand puts parentheses around a value that something is to be written behind.
func (v ref) operand() string {
	if strings.HasPrefix(v.value, "*") {
		return "(" + v.value + ")"
	}
	return v.value
}

// fieldRef is a field of what variable points to. Embedded fields that can't be named are left to
// Go.
func (p *printer) fieldRef(variable string, f *field, depth int) ref {
	text := variable
	for i, v := range f.path[:depth] {
		if i == len(f.path)-1 || v.Exported() || v.Pkg().Path() == p.pkg.Path {
			text += "." + v.Name()
		}
	}
	return ref{text, "&" + text}
}

// pointersOn are the steps of the path to a field that are embedded pointers.
func pointersOn(f *field) (steps []int) {
	for i, v := range f.path[:len(f.path)-1] {
		if _, ok := v.Type().Underlying().(*gotypes.Pointer); ok {
			steps = append(steps, i+1)
		}
	}
	return steps
}
