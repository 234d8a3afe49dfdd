package graph

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/validation/plan"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

// Rules are those of all types of a run, to be compared.
type Rules struct{ g *Graph }

// RulesIn are the rules of a graph whose types have been discovered.
func RulesIn(g *Graph) *Rules { return &Rules{g} }

// Differences returns the fields of a version of a kind, which pkg declares, that another version
// has too, with other rules: their paths in JSON, sorted. A field is the same one if its struct is,
// and it has the same name, in JSON or else in Go. Whether a value may be left out is no rule.
func (r *Rules) Differences(pkg *model.Package, version, other *types.Type) []string {
	defer r.g.Under(r.g.Under(r.g.LawIn(pkg)))
	d := differences{g: r.g, paths: map[string]bool{}, seen: map[[2]*Node]bool{}}
	d.nodes(r.g.Nodes()[version], r.g.Nodes()[other], "")
	return slices.Sorted(maps.Keys(d.paths))
}

// differences is one comparison.
type differences struct {
	g     *Graph
	paths map[string]bool
	seen  map[[2]*Node]bool // each pair of types is told about where it is met first
}

// nodes compares what is in two types.
func (d *differences) nodes(a, b *Node, path string) {
	a, b = a.content(), b.content()
	if a == nil || b == nil || a == b || d.seen[[2]*Node{a, b}] {
		return
	}
	d.seen[[2]*Node{a, b}] = true
	if a.Elem != nil && b.Elem != nil {
		d.nodes(a.Elem.Node, b.Elem.Node, path+"[]")
		return
	}
	partners := b.shownFields()
	for _, f := range a.shownFields() {
		i := slices.IndexFunc(partners, func(o *Part) bool { return o.JSON == f.JSON })
		if i < 0 {
			i = slices.IndexFunc(partners, func(o *Part) bool { return o.Name == f.Name })
		}
		if i < 0 {
			continue
		}
		at := strings.TrimPrefix(path+"."+f.JSON, ".")
		if !slices.Equal(d.said(f), d.said(partners[i])) {
			d.paths[at] = true
		}
		d.nodes(f.Node, partners[i].Node, at)
	}
}

// content is the type below declared names.
func (n *Node) content() *Node {
	for n != nil && n.Under != nil {
		n = n.Under.Node
	}
	return n
}

// shownFields are the fields as JSON shows them: those of structs that are inlined are among them.
func (n *Node) shownFields() (out []*Part) {
	for _, f := range n.Fields {
		if f.JSON == "" {
			if in := f.Node.content(); in != nil {
				out = append(out, in.shownFields()...)
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// said are the rules of a field and of its type, in a form that is the same in all packages,
// sorted.
func (d *differences) said(f *Part) []string {
	out := d.described(f.Plan)
	for n := f.Node; n != nil; n = n.Under.Node {
		out = append(out, d.described(n.Plan)...)
		if n.Under == nil {
			break
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (d *differences) described(p plan.Plan) (out []string) {
	s := saying{d.g.Planner, p}
	for _, c := range p.Calls {
		if !c.Silent && !c.Always {
			out = append(out, s.call(c))
		}
	}
	return out
}

// saying describes what a plan says, without the names that depend on where it stands.
type saying struct {
	p    *rule.Planner
	plan plan.Plan
}

func (s saying) call(c plan.Call) string {
	return c.Level + s.ident(c.Func) + s.list(c.Args)
}

func (s saying) list(values []any) string {
	var out []string
	for _, v := range values {
		out = append(out, s.value(v))
	}
	return "(" + strings.Join(out, ", ") + ")"
}

func (s saying) value(value any) string {
	switch v := value.(type) {
	case string:
		return fmt.Sprintf("%q", v)
	case plan.Raw:
		return string(v)
	case *types.Type:
		return localName(v)
	case emit.Ident:
		return s.ident(v)
	case plan.Wrapper:
		return s.call(v.Call)
	case plan.Sequence:
		var calls []any
		for _, c := range v.Calls {
			calls = append(calls, plan.Raw(s.call(c)))
		}
		return s.list(calls)
	case plan.Lambda:
		return s.code(v.Body)
	case plan.Construct:
		if v.Func == plan.SetsNew { // the order in a set is that of names
			args := slices.Clone(v.Args)
			slices.SortFunc(args, func(a, b any) int { return strings.Compare(s.value(a), s.value(b)) })
			return s.list(args)
		}
		return v.Func.Name + s.list(v.Args)
	case plan.Literal:
		var fields []any
		for _, f := range v.Fields {
			fields = append(fields, plan.Raw(f.Name+":"+s.value(f.Value)))
		}
		return v.Type.Name + s.list(fields)
	default:
		return fmt.Sprint(v)
	}
}

// localName returns the name of a type without the packages that it is made of, because versions
// declare their types in packages of their own.
func localName(t *types.Type) string {
	switch t.Kind {
	case types.Pointer:
		return "*" + localName(t.Elem)
	case types.Slice:
		return "[]" + localName(t.Elem)
	case types.Map:
		return "map[" + localName(t.Key) + "]" + localName(t.Elem)
	}
	return t.Name.Name
}

// code describes what File.P takes.
func (s saying) code(pieces []any) string {
	var b strings.Builder
	for _, piece := range pieces {
		if text, ok := piece.(string); ok {
			b.WriteString(text)
		} else {
			b.WriteString(s.value(piece))
		}
	}
	return b.String()
}

// ident is what a name stands for. It is the value of a constant or of a variable of the plan, the
// code of a function that is printed for it, or else the name.
func (s saying) ident(id emit.Ident) string {
	if pkg := s.p.Model.Package(id.Path); id.Path != "" && pkg != nil {
		if c := pkg.Types.Constants[id.Name]; c != nil && c.ConstValue != nil {
			return fmt.Sprintf("%q", *c.ConstValue)
		}
	}
	if id.Path != "" {
		return id.Name
	}
	for _, v := range s.plan.Vars {
		if v.Name == id.Name {
			return s.value(v.Init)
		}
	}
	for _, h := range s.plan.Helpers {
		if h.Name == id.Name {
			return strings.ReplaceAll(s.helper(h), id.Name, "rule")
		}
	}
	return id.Name
}

func (s saying) helper(h plan.Helper) string {
	without := saying{s.p, plan.Plan{Vars: s.plan.Vars}} // a helper calls none that depends on where it stands
	var out []string
	for _, line := range h.Lines() {
		if text := without.code(line); !strings.HasPrefix(text, "//") {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}
