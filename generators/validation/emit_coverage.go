package validation

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/typeplane/typeplane/generators"
)

// printCoverage prints the test that knows every error that the rules of the roots can lead to, and fails if the
// package's tests did not lead to one of them.
func printCoverage(pass *generators.Pass, t *target) {
	const coverage = "k8s.io/apimachinery/pkg/test/coverage"
	var pr *printer
	for _, root := range t.roots {
		declared := declaredErrors(root.node)
		if len(declared) == 0 {
			continue
		}
		if pr == nil {
			pr = &printer{File: pass.File(t.pkg, coverageFile, generator), target: t}
		}
		pr.P("func init() {")
		pr.P(ident(coverage, "RegisterDeclaredRules"), "(")
		pr.P(ident("k8s.io/apimachinery/pkg/runtime/schema", "GroupVersionKind"), "{Group: ", strconv.Quote(t.pkg.Path),
			", Version: ", strconv.Quote(t.pkg.Name), ", Kind: ", strconv.Quote(root.shown), "},")
		pr.P(ident(coverage, "FieldRules"), "{")
		for _, path := range slices.Sorted(maps.Keys(declared)) {
			pr.P(strconv.Quote(path), ": {")
			for _, e := range declared[path] {
				origin := ""
				if e.origin != "" {
					origin = ", Origin: " + strconv.Quote(e.origin)
				}
				pr.P("{ErrorType: ", strconv.Quote(e.typ), origin, "},")
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
	pr.P("func TestMain(m *", ident("testing", "M"), ") {")
	pr.P("code := m.Run()")
	pr.P("if err := ", ident(coverage, "AssertDeclarativeCoverage"), "(); err != nil {")
	pr.P(ident("fmt", "Fprintln"), "(", ident("os", "Stderr"), ", err)")
	pr.P("if code == 0 {")
	pr.P("code = 1")
	pr.P("}")
	pr.P("}")
	pr.P(ident("os", "Exit"), "(code)")
	pr.P("}")
}

// collector walks a root and takes down the errors of its rules by path.
type collector struct {
	found map[string][]emission
	seen  map[*node]bool
}

func declaredErrors(root *node) map[string][]emission {
	c := collector{map[string][]emission{}, map[*node]bool{}}
	c.node(root, "", false, false)
	for path := range c.found {
		slices.SortFunc(c.found[path], func(a, b emission) int {
			return cmp.Or(strings.Compare(a.typ, b.typ), strings.Compare(a.origin, b.origin))
		})
	}
	return c.found
}

// node takes a type; elemOpaque and keyOpaque say not to look into its items or keys.
func (c collector) node(n *node, path string, elemOpaque, keyOpaque bool) {
	if n == nil || c.seen[n] {
		return
	}
	c.seen[n] = true
	defer delete(c.seen, n)
	c.plan(path, n.plan)
	if n.plan.opaque {
		return
	}
	c.plan(joined(path, "[*]"), n.eachVal)
	c.plan(path, n.eachKey)
	for _, f := range n.fields {
		c.part(f, joined(path, f.json), false, false)
	}
	elemOpaque, keyOpaque = elemOpaque || n.plan.opaqueVal, keyOpaque || n.plan.opaqueKey
	if !elemOpaque {
		c.part(n.elem, joined(path, "[*]"), false, false)
	}
	if !keyOpaque {
		c.part(n.key, path, false, false)
	}
	c.part(n.under, path, elemOpaque, keyOpaque)
}

func (c collector) part(f *part, path string, elemOpaque, keyOpaque bool) {
	if f == nil {
		return
	}
	c.plan(path, f.plan)
	c.plan(joined(path, "[*]"), f.eachVal)
	c.plan(path, f.eachKey)
	if !f.plan.opaque {
		c.node(f.node, path, elemOpaque || f.plan.opaqueVal, keyOpaque || f.plan.opaqueKey)
	}
}

func (c collector) plan(path string, p plan) {
	for _, call := range p.calls {
		c.call(path, call)
	}
}

// call takes a call, or those that it passes on to others.
func (c collector) call(path string, made call) {
	for _, e := range made.emits {
		at := path + e.path
		c.found[at] = append(c.found[at], emission{typ: e.typ, origin: e.origin})
	}
	if len(made.emits) > 0 {
		return
	}
	for _, arg := range made.args {
		switch a := arg.(type) {
		case wrapper:
			c.call(path+a.fragment, a.call)
		case sequence:
			for _, inner := range a.calls {
				c.call(path+a.fragment, inner)
			}
		case literal:
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
