package validation

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
)

// Rules are those of all types of a run, to be compared.
type Rules struct{ p *planner }

// RulesOf reads the rules of a run. It reports nothing: problems are said when the functions are printed.
func RulesOf(pass *generators.Pass) *Rules {
	quiet := *pass
	quiet.Report = &diag.Report{}
	p := newPlanner(&quiet)
	p.plan(&quiet)
	return &Rules{p}
}

// Differences returns the fields of a version of a kind that another version has too, with other rules: their paths in
// JSON, sorted. A field is the same one if its struct is, and it has the same name, in JSON or else in Go. Whether a value
// may be left out is no rule.
func (r *Rules) Differences(version, other *types.Type) []string {
	defer r.p.under(r.p.under(r.p.lawOf(version)))
	d := differences{p: r.p, paths: map[string]bool{}, seen: map[[2]*node]bool{}}
	d.nodes(r.p.nodes[version], r.p.nodes[other], "")
	return slices.Sorted(maps.Keys(d.paths))
}

// differences is one comparison.
type differences struct {
	p     *planner
	paths map[string]bool
	seen  map[[2]*node]bool // each pair of types is told about where it is met first
}

// nodes compares what is in two types.
func (d *differences) nodes(a, b *node, path string) {
	a, b = a.content(), b.content()
	if a == nil || b == nil || a == b || d.seen[[2]*node{a, b}] {
		return
	}
	d.seen[[2]*node{a, b}] = true
	if a.elem != nil && b.elem != nil {
		d.nodes(a.elem.node, b.elem.node, path+"[]")
		return
	}
	partners := b.shownFields()
	for _, f := range a.shownFields() {
		i := slices.IndexFunc(partners, func(o *part) bool { return o.json == f.json })
		if i < 0 {
			i = slices.IndexFunc(partners, func(o *part) bool { return o.name == f.name })
		}
		if i < 0 {
			continue
		}
		at := strings.TrimPrefix(path+"."+f.json, ".")
		if !slices.Equal(d.said(f), d.said(partners[i])) {
			d.paths[at] = true
		}
		d.nodes(f.node, partners[i].node, at)
	}
}

// content is the type below declared names.
func (n *node) content() *node {
	for n != nil && n.under != nil {
		n = n.under.node
	}
	return n
}

// shownFields are the fields as JSON shows them: those of structs that are inlined are among them.
func (n *node) shownFields() (out []*part) {
	for _, f := range n.fields {
		if f.json == "" {
			if in := f.node.content(); in != nil {
				out = append(out, in.shownFields()...)
			}
			continue
		}
		out = append(out, f)
	}
	return out
}

// said are the rules of a field and of its type, in a form that is the same in all packages, sorted.
func (d *differences) said(f *part) []string {
	out := d.described(f.plan)
	for n := f.node; n != nil; n = n.under.node {
		out = append(out, d.described(n.plan)...)
		if n.under == nil {
			break
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (d *differences) described(p plan) (out []string) {
	s := saying{d.p, p}
	for _, c := range p.calls {
		if !c.silent {
			out = append(out, s.call(c))
		}
	}
	return out
}

// saying describes what a plan says, without the names that depend on where it stands.
type saying struct {
	p    *planner
	plan plan
}

func (s saying) call(c call) string {
	return c.level + s.ident(c.fn) + s.list(c.args)
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
	case raw:
		return string(v)
	case *types.Type:
		return v.Name.Name
	case emit.Ident:
		return s.ident(v)
	case wrapper:
		return s.call(v.call)
	case sequence:
		var calls []any
		for _, c := range v.calls {
			calls = append(calls, raw(s.call(c)))
		}
		return s.list(calls)
	case lambda:
		return s.code(v.body)
	case construct:
		if v.fn == setsNew { // the order in a set is that of names
			args := slices.Clone(v.args)
			slices.SortFunc(args, func(a, b any) int { return strings.Compare(s.value(a), s.value(b)) })
			return s.list(args)
		}
		return v.fn.Name + s.list(v.args)
	case literal:
		var fields []any
		for _, f := range v.fields {
			fields = append(fields, raw(f.name+":"+s.value(f.value)))
		}
		return v.typ.Name + s.list(fields)
	default:
		return fmt.Sprint(v)
	}
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

// ident is what a name stands for: the value of a constant or of a variable of the plan, the code of a function that is
// printed for it, or else the name.
func (s saying) ident(id emit.Ident) string {
	if pkg := s.p.model.Package(id.Path); id.Path != "" && pkg != nil {
		if c := pkg.Types.Constants[id.Name]; c != nil && c.ConstValue != nil {
			return fmt.Sprintf("%q", *c.ConstValue)
		}
	}
	if id.Path != "" {
		return id.Name
	}
	for _, v := range s.plan.vars {
		if v.name == id.Name {
			return s.value(v.init)
		}
	}
	for _, h := range s.plan.helpers {
		if h.name == id.Name {
			return strings.ReplaceAll(s.helper(h), id.Name, "rule")
		}
	}
	return id.Name
}

func (s saying) helper(h helper) string {
	without := saying{s.p, plan{vars: s.plan.vars}} // a helper calls none that depends on where it stands
	var out []string
	for _, line := range h.lines() {
		if text := without.code(line); !strings.HasPrefix(text, "//") {
			out = append(out, text)
		}
	}
	return strings.Join(out, "\n")
}
