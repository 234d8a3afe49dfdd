package conversion

import (
	"cmp"
	"fmt"
	"go/token"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// newPlan decides what the file of pkg does; ok is false if the package does not ask for one.
// Fields that would be lost go to report.
func newPlan(m *model.Model, pkg *model.Package, report *diag.Report) (_ *plan, ok bool) {
	version, hubs := readPackage(m, pkg, report)
	if version == nil {
		return nil, false
	}
	p := newPlanner(m, pkg, version, hubs, report)
	pairs := plainPairs(m, version, hubs, &diag.Report{})
	for name, t := range version.Types.Types {
		if token.IsExported(name) && t.Kind == types.Struct {
			optedOut(m, t, report)
		}
	}
	for _, pair := range pairs {
		p.printed[way{pair.Version, pair.Hub}] = pair.ToHub
		p.printed[way{pair.Hub, pair.Version}] = pair.FromHub
	}
	p.checkManual(pairs)
	p.checkHubs()
	p.keepers = p.newKeepers(pairs)
	p.parts = partsOf(kinds(pairs))
	out := &plan{keepers: p.keepers, equalities: p.sortedEqualities(), values: p.values()}
	out.registrations = p.registrations(pairs, out.values)
	for _, pair := range pairs {
		out.functions = append(out.functions, p.function(pair.Version, pair.Hub, false), p.function(pair.Hub, pair.Version, true))
	}
	return out, true
}

// function plans the conversion of a struct; down says that in is the hub's.
func (p *planner) function(in, out *types.Type, down bool) function {
	byHand, isManual := p.manual(in, out)
	p.inList = model.Embeds(in, "ListMeta")
	b, gaps := p.body(in, out)
	for _, g := range gaps {
		switch keepable := down && g.why == "" && p.parts[in]; {
		case keepable && p.lossless():
			b.keep(g.field)
		case !isManual:
			p.reportGap(in, out, g, keepable)
		default:
			p.warnOfLoss(in, out, g, byHand)
		}
	}
	return function{name: Name(in, out), in: in, out: out, manual: isManual, body: b}
}

// body converts the fields of one struct to those of another.
func (p *planner) body(in, out *types.Type) (body, []gap) {
	var b body
	var gaps []gap
	simple := true // a copy of the memory does the same
	for _, m := range in.Members {
		if m.Name == "_" {
			continue
		}
		p.checkTag(in, m)
		n, found := member(out, m.Name)
		if p.leftOut(in, m) || found && p.leftOut(out, n) {
			b.fields = append(b.fields, field{comment: "INFO: in." + m.Name + " opted out of conversion generation"})
			simple = false
			continue
		}
		if found {
			p.checkHidden(in, out, m, n)
		}
		f, g := p.field(in, out, m, n, found)
		b.fields = append(b.fields, f)
		if g != nil {
			gaps = append(gaps, *g)
		}
		switch f.step.(type) {
		case nil, drop:
			simple = false
		}
		if p.mustRun(m.Type, n.Type) {
			simple = false
		}
	}
	if simple && p.equal(in, out) {
		b = body{whole: &reinterpret{out}}
	}
	return b, gaps
}

func (p *planner) field(in, out *types.Type, m, n types.Member, found bool) (field, *gap) {
	missing := func(comment, why string) (field, *gap) {
		return field{name: m.Name, comment: "WARNING: " + comment}, &gap{field: m.Name, why: why}
	}
	if !found {
		return missing("in."+m.Name+" requires manual conversion: does not exist in peer-type", "")
	}
	if !token.IsExported(m.Name) && in.Name.Package != p.out.Path {
		return missing("in."+m.Name+" is not exported and cannot be read", "is not exported and cannot be read")
	}
	if !token.IsExported(m.Name) && out.Name.Package != p.out.Path {
		return missing("out."+m.Name+" is not exported and cannot be set", "is not exported and cannot be set on the other side")
	}
	if fn, _ := p.manual(m.Type, n.Type); fn.drop || m.Type == n.Type && m.Type.Name == typeMeta {
		return field{name: m.Name, step: drop{}}, nil
	}
	step, g := p.value(m.Type, n.Type, in.Name.Name+"."+jsonName(m, n))
	if g != nil {
		g.field, g.peer = m.Name, n.Name
		if text := cmp.Or(p.model.TypeError(in, m.Name), p.model.TypeError(out, n.Name)); text != "" {
			g.why, g.invalid = "the type is wrong here or on the other side: "+text, true
		}
		return field{name: m.Name, comment: fmt.Sprintf(
			"WARNING: in.%s requires manual conversion: inconvertible types (%s vs %s)", m.Name, m.Type, n.Type)}, g
	}
	if _, ok := step.(assign); ok && m.Type.Kind == types.Alias {
		step = cast{n.Type} // not needed, but what other generators print
	}
	return field{name: m.Name, step: step}, nil
}
