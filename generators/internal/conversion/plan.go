package conversion

import (
	"cmp"
	"fmt"
	"go/token"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"k8s.io/gengo/v2/types"
)

// planner makes the plan of one package.
type planner struct {
	model   *model.Model
	out     *model.Package // where functions are printed
	version *model.Package // where the versioned types are
	hubs    []*model.Package
	others  []*model.Package // whose hand-written functions count too
	report  *diag.Report

	printed map[way]string // functions of this file
	equals  map[way]bool   // answers of equal
	// inlined are the structs that are being converted in place, each in the one before.
	inlined []way
	ours    map[string]*model.Package // answers of mainPackage

	keepers    []keeper
	parts      map[*types.Type]bool            // see partsOf
	inList     bool                            // whether the function being planned converts a list of kinds
	equalities map[*types.Type]*structEquality // functions that keepers need
}

func newPlanner(m *model.Model, pkg, version *model.Package, hubs []*model.Package, report *diag.Report) *planner {
	return &planner{
		model: m, out: pkg, version: version, hubs: hubs, others: converting(m, pkg), report: report,
		printed: map[way]string{}, equals: map[way]bool{}, ours: map[string]*model.Package{},
		equalities: map[*types.Type]*structEquality{},
	}
}

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
	_, isManual := p.manual(in, out)
	p.inList = embeds(in, "ListMeta")
	b, gaps := p.body(in, out)
	for _, g := range gaps {
		switch keepable := down && g.why == "" && p.parts[in]; {
		case keepable && p.lossless():
			b.keep(g.field)
		case !isManual:
			p.reportGap(in, out, g, keepable)
		}
	}
	return function{name: Name(in, out), in: in, out: out, manual: isManual, body: b}
}

// gap is a field that nothing converts.
type gap struct {
	field   string
	peer    string // the field of the other type, "" if there is none
	why     string
	invalid bool // the Go is wrong, no function would help
	needs   *way // types for which a function would close the gap, nil if only one for the whole struct would
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

// leftOut tells whether a field has the tag that keeps it from being converted.
func (p *planner) leftOut(owner *types.Type, m types.Member) bool {
	value, ok := p.model.OfField(owner, m.Name).Last(tagName)
	return ok && value == "false"
}

func member(t *types.Type, name string) (types.Member, bool) {
	for _, m := range t.Members {
		if m.Name == name {
			return m, true
		}
	}
	return types.Member{Type: types.Any}, false
}

// jsonName is what the API's users call a field: the name that the first of its declarations with a
// JSON name has.
func jsonName(declared ...types.Member) string {
	for _, m := range declared {
		if j := model.JSONOf(m); j.Name != "" {
			return j.Name
		}
	}
	return declared[0].Name
}
