package printer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
)

// printCoverage prints the test that knows every error that the rules of the roots can lead to, and
// fails if the package's tests did not lead to one of them.
func printCoverage(pass *generators.Pass, t *Target) {
	const coverage = "k8s.io/apimachinery/pkg/test/coverage"
	var pr *printer
	for _, root := range t.Roots {
		declared := declaredErrors(root.Node)
		if len(declared) == 0 {
			continue
		}
		if pr == nil {
			pr = &printer{File: pass.File(t.Package, CoverageFile, Generator), target: t}
		}
		pr.P("func init() {")
		pr.P(plan.Ident(coverage, "RegisterDeclaredRules"), "(")
		pr.P(plan.Ident("k8s.io/apimachinery/pkg/runtime/schema", "GroupVersionKind"), "{Group: ", strconv.Quote(t.Package.Path),
			", Version: ", strconv.Quote(t.Package.Name), ", Kind: ", strconv.Quote(root.Shown), "},")
		pr.P(plan.Ident(coverage, "FieldRules"), "{")
		for _, path := range slices.Sorted(maps.Keys(declared)) {
			pr.P(strconv.Quote(path), ": {")
			for _, e := range declared[path] {
				origin := ""
				if e.Origin != "" {
					origin = ", Origin: " + strconv.Quote(e.Origin)
				}
				pr.P("{ErrorType: ", strconv.Quote(e.Type), origin, "},")
			}
			pr.P("},")
		}
		pr.P("},")
		pr.P(")")
		pr.P("}")
		pr.P()
	}
	if pr == nil {
		return
	}
	pr.P("func TestMain(m *", plan.Ident("testing", "M"), ") {")
	pr.P("code := m.Run()")
	pr.P("if err := ", plan.Ident(coverage, "AssertDeclarativeCoverage"), "(); err != nil {")
	pr.P(plan.Ident("fmt", "Fprintln"), "(", plan.Ident("os", "Stderr"), ", err)")
	pr.P("if code == 0 {")
	pr.P("code = 1")
	pr.P("}")
	pr.P("}")
	pr.P(plan.Ident("os", "Exit"), "(code)")
	pr.P("}")
}

// collector walks a root and takes down the errors of its rules by path.
type collector struct {
	found map[string][]plan.Emission
	seen  map[*graph.Node]bool
}

func declaredErrors(root *graph.Node) map[string][]plan.Emission {
	c := collector{map[string][]plan.Emission{}, map[*graph.Node]bool{}}
	c.node(root, "", false, false)
	for path := range c.found {
		slices.SortFunc(c.found[path], func(a, b plan.Emission) int {
			return cmp.Or(strings.Compare(a.Type, b.Type), strings.Compare(a.Origin, b.Origin))
		})
	}
	return c.found
}

// node takes a type; elemOpaque and keyOpaque say not to look into its items or keys.
func (c collector) node(n *graph.Node, path string, elemOpaque, keyOpaque bool) {
	if n == nil || c.seen[n] {
		return
	}
	c.seen[n] = true
	defer delete(c.seen, n)
	c.plan(path, n.Plan)
	if n.Plan.Opaque {
		return
	}
	c.plan(joined(path, "[*]"), n.EachVal)
	c.plan(path, n.EachKey)
	for _, f := range n.Fields {
		c.part(f, joined(path, f.JSON), false, false)
	}
	elemOpaque, keyOpaque = elemOpaque || n.Plan.OpaqueVal, keyOpaque || n.Plan.OpaqueKey
	if !elemOpaque {
		c.part(n.Elem, joined(path, "[*]"), false, false)
	}
	if !keyOpaque {
		c.part(n.Key, path, false, false)
	}
	c.part(n.Under, path, elemOpaque, keyOpaque)
}

func (c collector) part(f *graph.Part, path string, elemOpaque, keyOpaque bool) {
	if f == nil {
		return
	}
	c.plan(path, f.Plan)
	c.plan(joined(path, "[*]"), f.EachVal)
	c.plan(path, f.EachKey)
	if !f.Plan.Opaque {
		c.node(f.Node, path, elemOpaque || f.Plan.OpaqueVal, keyOpaque || f.Plan.OpaqueKey)
	}
}

func (c collector) plan(path string, p plan.Plan) {
	for _, call := range p.Calls {
		c.call(path, call)
	}
}

// call takes a call, or those that it passes on to others.
func (c collector) call(path string, made plan.Call) {
	for _, e := range made.Emits {
		at := path + e.Path
		c.found[at] = append(c.found[at], plan.Emission{Type: e.Type, Origin: e.Origin})
	}
	if len(made.Emits) > 0 {
		return
	}
	for _, arg := range made.Args {
		switch a := arg.(type) {
		case plan.Wrapper:
			c.call(path+a.Fragment, a.Call)
		case plan.Sequence:
			for _, inner := range a.Calls {
				c.call(path+a.Fragment, inner)
			}
		case plan.Literal:
			_ = a // the rules of modes are told by the call that forbids the field
		}
	}
}

func joined(path, step string) string {
	switch {
	case step == "" || path == "":
		return path + step
	case strings.HasPrefix(step, "["):
		return path + step
	}
	return path + "." + step
}
