package validation

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/register"
)

// target is a package that functions are printed into.
type target struct {
	pkg   *model.Package
	input string // import path of the package of the types
	types *model.Package
	// filters say which types are roots; served takes the kinds instead.
	filters []string
	served  bool
	law     law
	// registry is the type of the scheme to register with, nil for none.
	registry *emit.Ident

	roots     []function // those with rules, by name
	functions []function // in the order in which they are printed
	// local are the names of functions that this file has for types of other packages.
	local   map[emit.Ident]string
	outputs map[string]string
}

// function is one to be printed.
type function struct {
	name, shown  string
	node         *node
	subresources []string
}

// targets finds the packages that ask for validation, or whose kinds are served and have rules.
func (p *planner) targets(pass *generators.Pass) []*target {
	var out []*target
	for _, pkg := range pass.Packages {
		t, ok := p.asked(pkg)
		if !ok && p.servesRules(pkg) {
			t, ok = &target{pkg: pkg, input: pkg.Path, types: pkg, served: true}, true
		}
		if ok {
			t.outputs, t.local, t.law = p.outputs, map[emit.Ident]string{}, p.lawIn(t.types)
			out = append(out, t)
		}
	}
	p.canonical(out)
	return out
}

// canonical decides into which package the functions of types are printed for others to call: the one that registers
// them, or the first.
func (p *planner) canonical(all []*target) {
	registering := map[string]*target{}
	for _, t := range all {
		if _, ok := p.outputs[t.input]; !ok {
			p.outputs[t.input] = t.pkg.Path
		}
		if t.registry == nil {
			continue
		}
		if before := registering[t.input]; before != nil {
			p.packageProblem(t.pkg, fmt.Sprintf("the types of %s are registered by %s too", t.input, before.pkg.Path),
				"say +"+tagRegistry+"=nil in one of the two")
		}
		registering[t.input] = t
		p.outputs[t.input] = t.pkg.Path
	}
}

// asked reads the package tags.
func (p *planner) asked(pkg *model.Package) (*target, bool) {
	var filters []string
	for _, value := range p.model.OfPackage(pkg).Values(tagEnable) {
		for f := range strings.SplitSeq(value, ",") {
			if token.IsExported(f) && token.IsIdentifier(f) { // how it was written up to Kubernetes 1.36
				f = "TypesWithField=" + f
			}
			filters = append(filters, f)
		}
	}
	if len(filters) == 0 {
		return nil, false
	}
	if slices.Contains(filters, "false") {
		if len(filters) > 1 {
			p.packageProblem(pkg, "+"+tagEnable+" is false and something else", "keep one of them")
		}
		return nil, false
	}
	for _, f := range filters {
		_, field, hasValue := strings.Cut(f, "=")
		known := f == "*" || hasValue && field != "" && (strings.HasPrefix(f, "TypesWithField=") || strings.HasPrefix(f, "TypesWithSuffix="))
		if !known {
			p.packageProblem(pkg, fmt.Sprintf("+%s=%s says nothing about types", tagEnable, f), "want *, TypesWithField=TypeMeta, TypesWithSuffix=Request or false")
			return nil, false
		}
	}
	t := &target{pkg: pkg, input: pkg.Path, types: pkg, filters: filters}
	if input, ok := p.model.OfPackage(pkg).Last(tagInput); ok {
		t.input, t.types = input, p.model.Package(input)
		if t.types == nil {
			p.packageProblem(pkg, fmt.Sprintf("+%s=%s names no package that can be loaded", tagInput, input), "write its import path")
			return nil, false
		}
		p.readComments(input)
	}
	t.registry = p.registry(pkg)
	return t, true
}

// registry is the scheme that a package registers its functions with.
func (p *planner) registry(pkg *model.Package) *emit.Ident {
	value, ok := p.model.OfPackage(pkg).Last(tagRegistry)
	switch {
	case value == "nil":
		return nil
	case ok:
		name := types.ParseFullyQualifiedName(value)
		return &emit.Ident{Path: name.Package, Name: name.Name}
	case p.hasBuilder(pkg):
		return &emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Scheme"}
	}
	return nil // without a builder there is nowhere to register
}

// hasBuilder tells whether the package has a localSchemeBuilder, written by hand or by the generator of registrations.
func (p *planner) hasBuilder(pkg *model.Package) bool {
	return pkg.Go.Scope().Lookup("localSchemeBuilder") != nil || register.Covers(p.model, pkg)
}

func (p *planner) packageProblem(pkg *model.Package, message, cure string) {
	p.report.Add(diag.Problem{Pos: p.model.PackagePos(pkg), Path: pkg.Path, Message: message, Cure: cure})
}

// servesRules tells whether a server in the run serves the kinds of the package and their types have rules.
func (p *planner) servesRules(pkg *model.Package) bool {
	if value, _ := p.model.OfPackage(pkg).Last(tagEnable); value == "false" || !p.model.OfPackage(pkg).Has("groupName") {
		return false
	}
	defer p.under(p.under(p.lawIn(pkg)))
	return p.served(pkg.Path) && slices.ContainsFunc(p.model.Occurrences(pkg), func(o model.Occurrence) bool { return p.isRule(o.Marker) })
}

// plan discovers the types of a target and decides what is printed.
func (t *target) discover(p *planner) {
	defer p.under(p.under(t.law))
	for _, root := range t.candidates(p) {
		p.discover(root.node.typ, root.node.typ.Name.String())
	}
}

// candidates are the types of a target that are roots, by name; their nodes hold nothing but the type. Kinds of Kubernetes
// beside others are none: their strategies judge them.
func (t *target) candidates(p *planner) []function {
	var out []function
	for _, typ := range t.types.Types.Types {
		if t.isRoot(p, typ) {
			out = append(out, function{name: "Validate_" + typ.Name.Name, shown: typ.Name.Name, node: &node{typ: typ}, subresources: subresources(p.model.OfType(typ))})
		}
	}
	if t.input == t.pkg.Path {
		for _, a := range p.model.Aliases(t.pkg) {
			if p.model.IsKind(a) && (t.law == ofKubernetes || !p.model.OfKubernetes(t.pkg, a.Target)) {
				out = append(out, function{name: "Validate_" + a.Name, shown: a.Name, node: &node{typ: a.Target}, subresources: subresources(p.model.OfType(a.Target))})
			}
		}
	}
	slices.SortFunc(out, func(a, b function) int { return strings.Compare(a.shown, b.shown) })
	return out
}

func (t *target) isRoot(p *planner, typ *types.Type) bool {
	if !token.IsExported(typ.Name.Name) || typ.Name.Package != t.input || len(typ.TypeParams) > 0 {
		return false
	}
	if value, ok := p.model.OfType(typ).Last(tagEnable); ok {
		return value == "true"
	}
	if model.Embeds(typ, "ListMeta") {
		return false
	}
	if t.served {
		return typ.Kind == types.Struct && model.Embeds(typ, "TypeMeta") && model.Embeds(typ, "ObjectMeta")
	}
	return slices.ContainsFunc(t.filters, func(f string) bool {
		if field, ok := strings.CutPrefix(f, "TypesWithField="); ok {
			return typ.Kind == types.Struct && slices.ContainsFunc(typ.Members, func(m types.Member) bool { return m.Name == field })
		}
		if suffix, ok := strings.CutPrefix(f, "TypesWithSuffix="); ok {
			return strings.HasSuffix(typ.Name.Name, suffix)
		}
		return f == "*"
	})
}

// subresources are the paths that a kind's function is for: the object itself, unless the kind is a subresource, and
// those that its tags add.
func subresources(markers model.Markers) []string {
	read := func(name string) (out []string) {
		var lines []string
		for _, mk := range markers.Exactly(name) {
			lines = append(lines, mk.Text[1:])
		}
		tags, err := codetags.ParseAll(lines)
		if err != nil {
			return nil
		}
		for _, t := range tags {
			out = append(out, t.Value)
		}
		return out
	}
	paths := read(tagIsSubresource)
	if len(paths) == 0 {
		paths = []string{"/"}
	}
	paths = append(paths, read(tagSubresource)...)
	slices.Sort(paths)
	return quoted(slices.Compact(paths))
}
