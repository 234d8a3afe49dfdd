// Package printer prints the functions Validate_T of a package from the nodes of package graph. It
// decides nothing: what is called in which order stands in the plans.
//
// Start reading at Print.
package printer

import (
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/shape"
)

// printer prints the functions of one package.
type printer struct {
	*emit.File
	target *Target
	// declared are the package variables printed so far.
	declared map[string]bool
	// helpers are the functions that were used and are printed at the end.
	helpers []plan.Helper
}

// The variables of printed code.
var names = []string{"ctx", "op", "fldPath", "obj", "oldObj", "errs", "e", "fn", "oldVal", "oldValueCorrelated", "earlyReturn", "scheme", "a", "b", "o", "z", "item", "list", "i"}

// Print prints the files of a package.
func Print(pass *generators.Pass, t *Target) {
	if len(t.Functions) == 0 && !t.Fixture {
		return
	}
	pr := &printer{File: pass.File(t.Package, FileName, Generator), target: t, declared: map[string]bool{}}
	if pass.InlineRuntime {
		pr.Copy(plan.RulesPath, copiedRule)
	}
	if pass.InlineRuntime || len(pass.Model.Unreachable([]string{plan.SemanticPath})) > 0 {
		pr.Copy(plan.SemanticPath, func(string) string { return plainEqual })
		defer pr.plainEqual()
	}
	pr.print()
	if pass.InlineRuntime {
		has := func(name string) bool { return t.Package.Go.Scope().Lookup(name) != nil }
		if err := copyRules(pr.File, has); err != nil {
			pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(t.Package), Message: err.Error()})
		}
	}
	if t.Fixture {
		test := &printer{File: pass.File(t.Package, FixtureFile, Generator), target: t}
		test.fixtureTest()
	}
	if t.Coverage {
		printCoverage(pass, t)
	}
}

func (pr *printer) print() {
	pr.Reserve(names...)
	pr.P("//lint:file-ignore SA1019 deprecated fields and formats are checked too")
	pr.P()
	if pr.target.Registry != nil {
		pr.registration()
	}
	for _, f := range pr.target.Functions {
		pr.variables(f.Node)
		pr.function(f)
	}
	pr.printHelpers()
}

// variables prints the package variables that a type and its fields need.
func (pr *printer) variables(n *graph.Node) {
	print := func(vars []plan.Variable) {
		vars = slices.Clone(vars)
		slices.SortFunc(vars, func(a, b plan.Variable) int { return strings.Compare(a.Name, b.Name) })
		for _, v := range vars {
			if !pr.declared[v.Name] { // two tags can need the same
				pr.declared[v.Name] = true
				pr.P("var ", v.Name, " = ", pr.expression(v.Init, true))
			}
		}
		if len(vars) > 0 {
			pr.P()
		}
	}
	print(n.Plan.Vars)
	for _, f := range n.Fields {
		print(f.Plan.Vars)
	}
}

// function prints the function of a type.
func (pr *printer) function(f Function) {
	n := f.Node
	pr.P("// ", f.Name, " validates an instance of ", f.Shown, " according")
	pr.P("// to declarative validation rules in the API schema.")
	pr.P("func ", f.Name, "(")
	pr.P("ctx ", plan.Ident("context", "Context"), ", op ", plan.Ident(plan.OperationPath, "Operation"), ", fldPath *", plan.Ident(plan.FieldPath, "Path"), ",")
	pr.P("obj, oldObj ", shape.NilableForm(n.Type), ") (errs ", plan.Ident(plan.FieldPath, "ErrorList"), ") {")
	pr.P()
	pr.body(n)
	pr.P("return errs")
	pr.P("}")
	pr.P()
}

// body prints what is called for a value of a type: what its tags say, then its parts, and at last
// the rules in CEL.
func (pr *printer) body(n *graph.Node) {
	said := n.Plan
	calls, rules := parted(said.Calls)
	said.Calls = calls
	pr.use(said.Helpers)
	pr.parts(n, pr.block(said))
	pr.rules(rules)
	if len(rules) > 0 {
		pr.P()
	}
}

// parts prints what is called for the parts of a value; some says that something stands above.
func (pr *printer) parts(n *graph.Node, some bool) {
	if n.KeyNode().Validates() {
		some = pr.block(n.EachKey) || some
	}
	if n.ElemNode().Validates() {
		some = pr.block(n.EachVal) || some
	}
	if n.Plan.Opaque {
		return
	}
	switch n.Type.Kind {
	case types.Alias:
		if n.Under.Node != nil {
			pr.body(n.Under.Node)
		}
	case types.Struct:
		for _, f := range n.Fields {
			if some {
				pr.P()
			}
			pr.field(n, f)
			some = true
		}
	}
}

// block prints the notes and calls of a plan and tells whether there were any.
func (pr *printer) block(p plan.Plan) bool {
	if !p.Prints() {
		return false
	}
	pr.notes(p.Notes)
	pr.notes(p.Left)
	pr.use(p.Helpers)
	pr.calls(p.Calls)
	pr.P()
	return true
}

func (pr *printer) notes(notes []string) {
	for _, n := range notes {
		pr.P("// ", n)
	}
}

// resolve is a function as this file calls it. Types of packages that have no functions of their
// own get some here.
func (pr *printer) resolve(fn emit.Ident) emit.Ident {
	if f, ok := pr.target.Local[fn]; ok {
		return plan.Own(f)
	}
	if fn.Path == pr.target.Input {
		return emit.Ident{Path: pr.target.Package.Path, Name: fn.Name}
	}
	if to, ok := pr.target.Outputs[fn.Path]; ok {
		fn.Path = to
	}
	return fn
}

const (
	FileName     = "zz_generated.validations.go"
	FixtureFile  = "zz_generated.validations_test.go"
	CoverageFile = "zz_generated.validations_coverage_test.go"
	Generator    = "validation-gen"
)
