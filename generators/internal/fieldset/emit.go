package fieldset

import (
	"fmt"
	gotypes "go/types"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

const (
	fileName    = "zz_generated.fieldset.go"
	generator   = "fieldset-gen"
	runtimePath = "github.com/typeplane/typeplane/runtime/fieldset"
	jsonPath    = "github.com/typeplane/typeplane/runtime/json"
)

// serverGenerator is the name in the header of a file that is printed with a server.
const serverGenerator = "apiserver-gen"

// Output is the file that Generate prints.
var Output = emit.Output{Name: fileName, Generator: serverGenerator}

// Generate prints the functions that compare objects of these kinds, and of what they are made of,
// into the package of a server.
func Generate(pass *generators.Pass, server *model.Package, kinds []Kind) {
	generate(pass, server, kinds, serverGenerator)
}

func generate(pass *generators.Pass, into *model.Package, kinds []Kind, by string) {
	if functions := plan(pass, into, kinds); len(functions) > 0 {
		newPrinter(pass.File(into, fileName, by), pass.Model, into).print(functions)
	}
}

// printer prints the functions of one package.
type printer struct {
	*emit.File
	model   *model.Model
	server  *model.Package
	runtime string // the name of package runtime/fieldset in the file
	names   map[*function]string
	taken   map[string]bool
}

func newPrinter(f *emit.File, m *model.Model, server *model.Package) *printer {
	f.Reserve("c", "old", "obj", "was", "is", "a", "b", "in")
	return &printer{File: f, model: m, server: server, runtime: f.Import(runtimePath), names: map[*function]string{}, taken: map[string]bool{}}
}

// print prints the functions of the kinds and then the others, by name.
func (p *printer) print(functions []*function) {
	p.P("//lint:file-ignore SA1019 deprecated fields are compared too")
	p.P()
	for _, f := range functions {
		p.nameOf(f)
	}
	functions = slices.Clone(functions)
	slices.SortStableFunc(functions, func(a, b *function) int {
		if (a.name == "") != (b.name == "") {
			return len(b.name) - len(a.name)
		}
		return strings.Compare(p.nameOf(a), p.nameOf(b))
	})
	for i, f := range functions {
		if i > 0 {
			p.P()
		}
		p.function(f)
	}
}

func (p *printer) function(f *function) {
	name, typ := p.nameOf(f), p.typ(f.typ)
	if f.name != "" {
		p.P("// ", name, " tells which fields two objects of kind ", f.kind, " differ in, but for those that nobody owns.")
		p.P("func ", name, "(c *", p.runtime, ".Comparison, old, obj *", typ, ") {")
		p.fields(f)
		p.P("}")
		return
	}
	p.P("func ", name, "(c *", p.runtime, ".Comparison, old, obj *", typ, ") {")
	switch {
	case len(f.fields) == 0:
	case f.asksForPresence():
		p.P("old, was := ", p.runtime, ".Value(old)")
		p.P("obj, is := ", p.runtime, ".Value(obj)")
	default:
		p.P("old, _ = ", p.runtime, ".Value(old)")
		p.P("obj, _ = ", p.runtime, ".Value(obj)")
	}
	p.fields(f)
	p.P("}")
}

// nameOf is the name of a function: by the package and the name of the type or, if it has none, by
// a number.
func (p *printer) nameOf(f *function) string {
	if f.name != "" {
		return f.name
	}
	if name := p.names[f]; name != "" {
		return name
	}
	name := "inline"
	if _, ok := f.typ.(*gotypes.Named); ok {
		name = p.typ(f.typ)
	}
	name = strings.Trim(strings.Map(func(c rune) rune {
		if c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) {
			return c
		}
		return '_'
	}, name), "_")
	// "of" keeps them apart from those of the kinds.
	name = "compareFieldsOf_" + name
	for base, i := name, 2; p.taken[name]; i++ {
		name = base + strconv.Itoa(i)
	}
	p.names[f], p.taken[name] = name, true
	return name
}

// typ is a type as this file writes it.
func (p *printer) typ(t gotypes.Type) string { return p.Type(p.model.TypeOf(t)) }

// call is the text of a call of the runtime.
func (p *printer) call(name string, args ...string) string {
	return p.runtime + "." + name + "(" + strings.Join(args, ", ") + ")"
}

// values is the function that compares values of a node.
func (p *printer) values(n *node) string {
	literal := func(body string) string {
		return fmt.Sprintf("func(c *%s.Comparison, old, obj *%s) {\n%s\n}", p.runtime, p.typ(n.typ), body)
	}
	switch n.how {
	case asUntyped:
		return p.runtime + ".Untyped"
	case byFields:
		return p.nameOf(n.function)
	case byKeys:
		if n.elem.how == asLeaf && comparable(n.elem.typ) {
			return p.runtime + ".Values"
		}
		return literal(p.call("Map", "c", "old", "obj", p.values(n.elem)))
	case byValues:
		return literal(p.call("SetOf", "c", "old", "obj", p.element(n.elem.typ)))
	case byItems:
		return literal(p.call("List", "c", "old", "obj", p.sameKey(n), p.key(n), p.values(n.elem)))
	case asPointed:
		return literal(p.call("Pointer", "c", "old", "obj", p.values(n.elem)))
	}
	return p.runtime + ".Leaf"
}

// element is the function that returns a value of a set as it stands in JSON.
func (p *printer) element(t gotypes.Type) string {
	text := p.inJSON(t, "in")
	if !comparable(t) {
		text = p.call("JSONValue", "in")
	}
	return "func(in " + p.typ(t) + ") any { return " + text + " }"
}

// inJSON is a scalar as structured-merge-diff knows it.
func (p *printer) inJSON(t gotypes.Type, in string) string {
	b, ok := t.Underlying().(*gotypes.Basic)
	if !ok {
		return in
	}
	want := "bool"
	switch info := b.Info(); {
	case info&gotypes.IsString != 0:
		want = "string"
	case info&gotypes.IsInteger != 0:
		want = "int64"
	case info&gotypes.IsFloat != 0:
		want = "float64"
	}
	if _, plain := gotypes.Unalias(t).(*gotypes.Basic); plain && b.Name() == want {
		return in
	}
	return want + "(" + in + ")"
}
