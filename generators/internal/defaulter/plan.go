package defaulter

import (
	"go/token"
	"sort"
	"strings"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/model"
	"k8s.io/gengo/v2/types"
)

// planner makes the plan of one package.
type planner struct {
	model  *model.Model
	out    *model.Package
	report *diag.Report
	manual finder
	// published says that a server of the run publishes the package's defaults as those of custom
	// resources, so that all of them have to be set.
	published bool

	roots map[*types.Type]bool // that get a SetObjectDefaults function, if needed
	needs map[*types.Type]bool // there is something to fill, here or below
	loops map[*types.Type]bool // answers of recursive

	seen         map[*types.Type]bool
	ignored      map[*types.Type]bool // of which a default is not read, and that was said
	below, above map[*types.Type][]*types.Type
	commented    map[string]bool        // packages of other modules whose comments were read
	defaults     map[place]*fill        // answers of memberDefault and elementDefault
	helpers      map[string]*types.Type // recursive types by the name of their function
	queue        []string               // those names, in the order they were asked for
}

// place is a field of a struct, or the elements of a container (name "").
type place struct {
	owner *types.Type
	name  string
}

// newPlan decides what the file of pkg does; ok is false if the package does not ask for one.
// Problems of tags and literals go to report.
func newPlan(m *model.Model, pkg *model.Package, report *diag.Report) (_ *plan, ok bool) {
	ask, ok := readPackage(m, pkg, report)
	if !ok {
		return nil, false
	}
	p := &planner{
		model: m, out: pkg, report: report, published: m.Serves(pkg) && !m.AllOfKubernetes(pkg),
		manual: finder{model: m, out: pkg, others: defaulting(m, pkg), found: map[*types.Type]manual{}},
		roots:  map[*types.Type]bool{}, needs: map[*types.Type]bool{}, loops: map[*types.Type]bool{},
		seen: map[*types.Type]bool{}, ignored: map[*types.Type]bool{}, below: map[*types.Type][]*types.Type{}, above: map[*types.Type][]*types.Type{},
		commented: map[string]bool{}, defaults: map[place]*fill{}, helpers: map[string]*types.Type{},
	}
	p.manual.checkSignatures(ask.named(), report)
	roots := ask.roots(&p.manual, report)
	for _, t := range roots {
		p.roots[t] = true
		p.collect(t)
	}
	p.spread()

	out := &plan{}
	for _, t := range roots {
		if !p.needs[t] {
			continue
		}
		if isObject(t) && ask.model.IsObject(t) {
			out.register = append(out.register, t)
		}
		out.functions = append(out.functions, function{name: objectPrefix + t.Name.Name, typ: t, steps: p.body(t)})
	}
	out.functions = append(out.functions, p.recursiveFunctions()...)
	return out, true
}

// steps fills a t that is somewhere inside a root.
func (p *planner) steps(t *types.Type) []step {
	switch {
	case !p.needs[t]:
		return nil
	case p.roots[t]:
		return []step{call{types.Name{Package: p.out.Path, Name: objectPrefix + t.Name.Name}}}
	case p.recursive(t):
		return []step{call{types.Name{Package: p.out.Path, Name: p.helper(t)}}}
	}
	return p.body(t)
}

// body fills a t right here.
func (p *planner) body(t *types.Type) []step {
	m := p.manual.of(t)
	if m.object != nil {
		return []step{call{*m.object}}
	}
	var out []step
	if m.base != nil {
		out = append(out, call{*m.base})
	}
	if m.covers {
		return out
	}
	for _, name := range m.additional {
		out = append(out, call{name})
	}
	switch t.Kind {
	case types.Alias:
		out = append(out, p.steps(t.Underlying)...)
	case types.Pointer:
		if inner := p.steps(t.Elem); inner != nil {
			out = append(out, deref{inner})
		}
	case types.Slice, types.Array, types.Map:
		if inner := p.filled(p.elementDefault(t), t.Elem); inner != nil && t.Kind == types.Map {
			out = append(out, eachValue{inner})
		} else if inner != nil {
			out = append(out, each{array: t.Kind == types.Array, steps: inner})
		}
	case types.Struct:
		for _, m := range t.Members {
			if !p.visible(t, m) {
				continue
			}
			if inner := p.filled(p.memberDefault(t, m), m.Type); inner != nil {
				out = append(out, field{m.Name, inner})
			}
		}
	}
	return out
}

// filled is the literal of a place, if it has one, and then what fills its type.
func (p *planner) filled(literal *fill, t *types.Type) []step {
	var out []step
	if literal != nil {
		out = append(out, *literal)
	}
	return append(out, p.steps(t)...)
}

// visible tells whether the printed package can name the field.
func (p *planner) visible(owner *types.Type, m types.Member) bool {
	return m.Name != "_" && (token.IsExported(m.Name) || owner.Name.Package == p.out.Path)
}

// helper returns the name of the function that fills a recursive type, and asks for it.
func (p *planner) helper(t *types.Type) string {
	name := "setObjectDefaults_" + model.FuncPart(t)
	if other, taken := p.helpers[name]; taken && other != t {
		name = "setObjectDefaults_" + strings.Map(identifier, t.Name.Package) + "_" + model.FuncPart(t)
	}
	if p.helpers[name] == nil {
		p.helpers[name] = t
		p.queue = append(p.queue, name)
	}
	return name
}

// recursiveFunctions makes the functions that were asked for, and those that these ask for.
func (p *planner) recursiveFunctions() []function {
	var out []function
	for i := 0; i < len(p.queue); i++ {
		t := p.helpers[p.queue[i]]
		out = append(out, function{name: p.queue[i], typ: t, steps: p.body(t)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
}

// loadComments makes the tags in the package of t readable, if it belongs to another module.
func (p *planner) loadComments(t *types.Type) {
	path := t.Name.Package
	if path == "" || p.commented[path] {
		return
	}
	p.commented[path] = true
	if hasNoDefaults(path, p.out) {
		return
	}
	if pkg := p.model.Package(path); pkg == nil || pkg.Main {
		return
	}
	if err := p.model.DependencyComments(path); err != nil {
		p.report.Add(diag.Problem{Pos: p.model.PackagePos(p.out), Path: path, Message: "cannot read comments: " + err.Error()})
	}
}

// hasNoDefaults tells whether a package is of the standard library or of apimachinery. Neither has
// tags or functions for defaults, and every kind has types of both: looking there would make each
// run slower for nothing. A path without a dot may also be of the module that is generated for, as
// that of ours is.
func hasNoDefaults(path string, ours *model.Package) bool {
	first, _, _ := strings.Cut(path, "/")
	module, _, _ := strings.Cut(ours.Path, "/")
	return !strings.Contains(first, ".") && first != module || strings.HasPrefix(path, "k8s.io/apimachinery/")
}

func identifier(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}
