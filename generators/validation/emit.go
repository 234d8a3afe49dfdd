package validation

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/emit"
)

// printer prints the functions of one package.
type printer struct {
	*emit.File
	target *target
	// declared are the package variables printed so far.
	declared map[string]bool
	// helpers are the functions that were used and are printed at the end.
	helpers []helper
}

// The variables of printed code.
var names = []string{"ctx", "op", "fldPath", "obj", "oldObj", "errs", "e", "fn", "oldVal", "oldValueCorrelated", "earlyReturn", "scheme", "a", "b", "o", "z", "item", "list", "i"}

func (pr *printer) print() {
	pr.Reserve(names...)
	if pr.target.registry != nil {
		pr.registration()
	}
	for _, f := range pr.target.functions {
		pr.variables(f.node)
		pr.function(f)
	}
	pr.printHelpers()
}

// variables prints the package variables that a type and its fields need.
func (pr *printer) variables(n *node) {
	print := func(vars []variable) {
		vars = slices.Clone(vars)
		slices.SortFunc(vars, func(a, b variable) int { return strings.Compare(a.name, b.name) })
		for _, v := range vars {
			if !pr.declared[v.name] { // two tags can need the same
				pr.declared[v.name] = true
				pr.P("var ", v.name, " = ", pr.expression(v.init, true))
			}
		}
		if len(vars) > 0 {
			pr.P()
		}
	}
	print(n.plan.vars)
	for _, f := range n.fields {
		print(f.plan.vars)
	}
}

// function prints the function of a type.
func (pr *printer) function(f function) {
	n := f.node
	pr.P("// ", f.name, " validates an instance of ", f.shown, " according")
	pr.P("// to declarative validation rules in the API schema.")
	pr.P("func ", f.name, "(")
	pr.P("ctx ", ident("context", "Context"), ", op ", ident(operationPath, "Operation"), ", fldPath *", ident(fieldPath, "Path"), ",")
	pr.P("obj, oldObj ", nilableForm(n.typ), ") (errs ", ident(fieldPath, "ErrorList"), ") {")
	pr.P()
	pr.body(n)
	pr.P("return errs")
	pr.P("}")
	pr.P()
}

func ident(path, name string) emit.Ident { return emit.Ident{Path: path, Name: name} }

// body prints what is called for a value of a type: what its tags say, and then its parts.
func (pr *printer) body(n *node) {
	some := pr.block(n.plan)
	if n.keyNode().validates() {
		some = pr.block(n.eachKey) || some
	}
	if n.elemNode().validates() {
		some = pr.block(n.eachVal) || some
	}
	if n.plan.opaque {
		return
	}
	switch n.typ.Kind {
	case types.Alias:
		if n.under.node != nil {
			pr.body(n.under.node)
		}
	case types.Struct:
		for _, f := range n.fields {
			if some {
				pr.P()
			}
			pr.field(n, f)
			some = true
		}
	}
}

// block prints the notes and calls of a plan and tells whether there were any.
func (pr *printer) block(p plan) bool {
	if !p.prints() {
		return false
	}
	pr.notes(p.notes)
	pr.notes(p.left)
	pr.use(p.helpers)
	pr.calls(p.calls)
	pr.P()
	return true
}

func (pr *printer) notes(notes []string) {
	for _, n := range notes {
		pr.P("// ", n)
	}
}

// resolve is a function as this file calls it. Types of packages that have no functions of their own get some here.
func (pr *printer) resolve(fn emit.Ident) emit.Ident {
	if f, ok := pr.target.local[fn]; ok {
		return own(f)
	}
	if fn.Path == pr.target.input {
		return emit.Ident{Path: pr.target.pkg.Path, Name: fn.Name}
	}
	if to, ok := pr.target.outputs[fn.Path]; ok {
		fn.Path = to
	}
	return fn
}
