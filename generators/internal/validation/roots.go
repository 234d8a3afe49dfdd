package validation

import (
	"fmt"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/register"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
	"github.com/typeplane/typeplane/generators/internal/validation/printer"
	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

// target is a package that functions are printed into.
type target struct {
	printer.Target
	types *model.Package
	// filters say which types are roots; served takes the kinds instead.
	filters []string
	served  bool
	law     rule.Law
	// unbuilt says that the package asks for a registration, and has nothing to register with.
	unbuilt bool
}

// targets finds the packages that ask for validation, or whose kinds are served and have rules.
func targets(g *graph.Graph, pass *generators.Pass) []*target {
	var out []*target
	for _, pkg := range pass.Packages {
		t, ok := asked(g, pkg)
		if !ok && servesRules(g, pkg) {
			t, ok = &target{Target: printer.Target{Package: pkg, Input: pkg.Path}, types: pkg, served: true}, true
		}
		if ok {
			t.Outputs, t.Local, t.law = g.Outputs, map[emit.Ident]string{}, g.LawIn(t.types)
			out = append(out, t)
		}
	}
	canonical(g, out)
	return out
}

// canonical decides into which package the functions of types are printed for others to call. It is
// the package that registers them, or the first.
func canonical(g *graph.Graph, all []*target) {
	registering := map[string]*target{}
	for _, t := range all {
		if _, ok := g.Outputs[t.Input]; !ok {
			g.Outputs[t.Input] = t.Package.Path
		}
		if t.Registry == nil {
			continue
		}
		if before := registering[t.Input]; before != nil {
			packageProblem(g, t.Package, fmt.Sprintf("the types of %s are registered by %s too", t.Input, before.Package.Path),
				"say +"+tagRegistry+"=nil in one of the two")
		}
		registering[t.Input] = t
		g.Outputs[t.Input] = t.Package.Path
	}
}

// asked reads the package tags.
func asked(g *graph.Graph, pkg *model.Package) (*target, bool) {
	var filters []string
	for _, value := range g.Model.OfPackage(pkg).Values(tagEnable) {
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
			packageProblem(g, pkg, "+"+tagEnable+" is false and something else", "keep one of them")
		}
		return nil, false
	}
	for _, f := range filters {
		_, field, hasValue := strings.Cut(f, "=")
		known := f == "*" || hasValue && field != "" && (strings.HasPrefix(f, "TypesWithField=") || strings.HasPrefix(f, "TypesWithSuffix="))
		if !known {
			packageProblem(g, pkg, fmt.Sprintf("+%s=%s says nothing about types", tagEnable, f), "want *, TypesWithField=TypeMeta, TypesWithSuffix=Request or false")
			return nil, false
		}
	}
	t := &target{Target: printer.Target{Package: pkg, Input: pkg.Path}, types: pkg, filters: filters}
	if input, ok := g.Model.OfPackage(pkg).Last(tagInput); ok {
		t.Input, t.types = input, g.Model.Package(input)
		if t.types == nil {
			packageProblem(g, pkg, fmt.Sprintf("+%s=%s names no package that can be loaded", tagInput, input), "write its import path")
			return nil, false
		}
		g.ReadComments(input)
	}
	t.Registry, t.unbuilt = registry(g, pkg)
	return t, true
}

// registry is the scheme that a package registers its functions with; unbuilt says that it asks for
// one, and has nothing to register with.
func registry(g *graph.Graph, pkg *model.Package) (_ *emit.Ident, unbuilt bool) {
	value, ok := g.Model.OfPackage(pkg).Last(tagRegistry)
	switch {
	case value == "nil":
		return nil, false
	case !hasBuilder(g, pkg):
		return nil, ok // there is nowhere to register
	case ok:
		name := types.ParseFullyQualifiedName(value)
		return &emit.Ident{Path: name.Package, Name: name.Name}, false
	}
	return &scheme, false
}

// scheme is apimachinery's, which only takes objects.
var scheme = emit.Ident{Path: "k8s.io/apimachinery/pkg/runtime", Name: "Scheme"}

// hasBuilder tells whether the package has a localSchemeBuilder, written by hand or by the
// generator of registrations.
func hasBuilder(g *graph.Graph, pkg *model.Package) bool {
	return pkg.Go.Scope().Lookup("localSchemeBuilder") != nil || register.Covers(g.Model, pkg)
}

func packageProblem(g *graph.Graph, pkg *model.Package, message, cure string) {
	g.Report.Add(diag.Problem{Pos: g.Model.PackagePos(pkg), Path: pkg.Path, Message: message, Cure: cure})
}

// servesRules tells whether a server in the run serves the kinds of the package and their types may
// have rules. For kinds that are judged as custom resources, and for aliases, the types may be in
// any package. For copies of Kubernetes' own the package has to have one.
func servesRules(g *graph.Graph, pkg *model.Package) bool {
	if value, _ := g.Model.OfPackage(pkg).Last(tagEnable); value == "false" || !g.Model.OfPackage(pkg).Has("groupName") || !g.Served(pkg.Path) {
		return false
	}
	defer g.Under(g.Under(g.LawIn(pkg)))
	return g.Law == rule.OfResources || slices.ContainsFunc(g.Model.Aliases(pkg), g.Model.IsKind) || slices.ContainsFunc(g.Model.Occurrences(pkg), func(o model.Occurrence) bool { return g.IsRule(o.Marker) })
}

// discover discovers the types of a target and decides what is printed.
func discover(t *target, g *graph.Graph) {
	defer g.Under(g.Under(t.law))
	for _, root := range candidates(t, g) {
		g.Discover(root.Node.Type, root.Node.Type.Name.String())
	}
}

// candidates are the types of a target that are roots, by name; their nodes hold nothing but the
// type. Kinds of Kubernetes beside others are none: their strategies judge them.
func candidates(t *target, g *graph.Graph) []printer.Function {
	var out []printer.Function
	for _, typ := range t.types.Types.Types {
		if isRoot(t, g, typ) {
			out = append(out, printer.Function{Name: "Validate_" + typ.Name.Name, Shown: typ.Name.Name, Node: &graph.Node{Type: typ}})
		}
	}
	if t.Input == t.Package.Path {
		for _, a := range g.Model.Aliases(t.Package) {
			if g.Model.IsKind(a) && !leftOut(g, a) && (t.law == rule.OfKubernetes || !g.Model.OfKubernetes(t.Package, a.Target)) {
				out = append(out, printer.Function{Name: "Validate_" + a.Name, Shown: a.Name, Node: &graph.Node{Type: a.Target}})
			}
		}
	}
	slices.SortFunc(out, func(a, b printer.Function) int { return strings.Compare(a.Shown, b.Shown) })
	return out
}

// leftOut tells whether the comment of an alias says that its kind gets no function.
func leftOut(g *graph.Graph, a model.Alias) bool {
	markers := g.Model.OfAlias(a)
	for mk := range markers.All() {
		if mk.Text == "+"+tagEnable+"=false" {
			markers.Claim(mk) // anything else is nobody's
			return true
		}
	}
	return false
}

// warnOfStrangers says which kinds of Kubernetes are not judged by their tags, because they stand
// beside others, which are judged as custom resources.
func warnOfStrangers(t *target, g *graph.Graph) {
	if t.law == rule.OfKubernetes || t.Input != t.Package.Path {
		return
	}
	defer g.Under(g.Under(rule.OfKubernetes))
	for _, a := range g.Model.Aliases(t.Package) {
		if g.Model.IsKind(a) && !leftOut(g, a) && g.Model.OfKubernetes(t.Package, a.Target) && g.Discover(a.Target, a.Name).Validates() {
			g.Report.Warn(diag.Problem{
				Pos: g.Model.AliasPos(a), Path: a.Name, Message: "the rules in the tags of " + a.Target.Name.String() + " are not checked: kinds of Kubernetes and others stand in one package",
				Cure: "put the alias into a package of its own, or say +" + tagEnable + "=false above it",
			})
		}
	}
}

func isRoot(t *target, g *graph.Graph, typ *types.Type) bool {
	if !token.IsExported(typ.Name.Name) || typ.Name.Package != t.Input || len(typ.TypeParams) > 0 {
		return false
	}
	markers := g.Model.OfType(typ)
	for mk := range markers.All() {
		if value, ok := strings.CutPrefix(mk.Text, "+"+tagEnable+"="); ok && (value == "true" || isChosen(t, typ)) {
			markers.Claim(mk) // "false" of what is no root anyway is nobody's
			return value == "true"
		}
	}
	return isChosen(t, typ)
}

// isChosen tells whether a type is a root by what its package says, or because it is served.
func isChosen(t *target, typ *types.Type) bool {
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

// subresources are the paths that a kind's function is for: the object itself, unless the kind is a
// subresource, and those that its tags add.
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

// quoted are the subresources of a root as the cases of a switch, sorted.
func quoted(paths []string) []string {
	var out []string
	for _, p := range paths {
		out = append(out, strconv.Quote(p))
	}
	return out
}
