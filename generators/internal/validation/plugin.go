package validation

import (
	"slices"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/tag"
	"github.com/typeplane/typeplane/generators/internal/validation/declarative"
	"github.com/typeplane/typeplane/generators/internal/validation/graph"
	"github.com/typeplane/typeplane/generators/internal/validation/printer"
)

const (
	tagEnable        = "k8s:validation-gen"
	tagInput         = "k8s:validation-gen-input"
	tagRegistry      = "k8s:validation-gen-scheme-registry"
	tagFixture       = "k8s:validation-gen-test-fixture"
	tagCoverage      = "k8s:validation-gen-test-targets"
	tagNoLint        = "k8s:validation-gen-nolint"
	tagInternal      = "k8s:validation:internal"
	tagIsSubresource = "k8s:isSubresource"
	tagSubresource   = "k8s:supportsSubresource"
)

// runTags are the tags that say what is printed; all others say what is valid.
var runTags = []tag.Definition{
	{Name: tagEnable, Scope: tag.Package | tag.Type, Value: tag.Any,
		Doc: "Generates Validate_T functions. On a package: for all types (*), for those with a field or suffix (TypesWithField=TypeMeta, TypesWithSuffix=Request), or false. " +
			"On a type: true or false; false above an alias leaves the rules of its kind out. " +
			"A package below a +typeplane:apiserver gets them for its kinds as soon as one of its types has a rule or a required field.",
		Example: "+k8s:validation-gen=TypesWithField=TypeMeta"},
	{Name: tagInput, Scope: tag.Package, Value: tag.PackagePath,
		Doc:     "The package whose types the functions are for, if it is another one.",
		Example: "+k8s:validation-gen-input=example.com/api/v1"},
	{Name: tagRegistry, Scope: tag.Package, Value: tag.String,
		Doc:     "Type of the scheme that RegisterValidations is for, or nil. Without it the functions are registered with apimachinery's Scheme if the package has a localSchemeBuilder.",
		Example: "+k8s:validation-gen-scheme-registry=nil"},
	{Name: tagFixture, Scope: tag.Package, Value: tag.String,
		Doc:     "validateFalse generates a test that calls every +k8s:validateFalse.",
		Example: "+k8s:validation-gen-test-fixture=validateFalse"},
	{Name: tagCoverage, Scope: tag.Package,
		Doc:     "Generates a test that fails if a rule of a root type is not covered by the package's tests.",
		Example: "+k8s:validation-gen-test-targets"},
	{Name: tagNoLint, Scope: tag.Anywhere, Doc: "Is read by validation-gen of Kubernetes, and does nothing here.",
		Example: "+k8s:validation-gen-nolint"},
	{Name: model.TagServer, Scope: tag.Package},
	{Name: model.TagKubernetes, Scope: tag.Package,
		Doc: "The package's kinds are copies of Kubernetes' own, and are judged as a kube-apiserver judges those: +enum, +required, +listType and the markers of kubebuilder describe them only. " +
			"Tags of declarative validation (+k8s:minimum=0) are rules, and all else is the strategy's. Aliases of types in k8s.io/api need no tag.",
		Example: "+typeplane:kubernetes"},
	{Name: tagInternal, Scope: tag.Package, Doc: "Marks packages of tests in Kubernetes, and does nothing.",
		Example: "+k8s:validation:internal"},
	{Name: tagIsSubresource, Scope: tag.Type, Value: tag.String,
		Doc:     `The kind is a subresource, and its function is for that path only.`,
		Example: `+k8s:isSubresource="/scale"`},
	{Name: tagSubresource, Scope: tag.Type, Value: tag.String,
		Doc:     `The kind's function is for a subresource too. May be repeated.`,
		Example: `+k8s:supportsSubresource="/status"`},
}

// Plugin returns the plug-in.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "validation",
		Doc:  "Validate_T functions from the constraints that comments put on types and fields",
		Tags: allRules().Definitions(),
		Outputs: []emit.Output{
			{Name: printer.FileName, Generator: printer.Generator}, {Name: printer.FixtureFile, Generator: printer.Generator}, {Name: printer.CoverageFile, Generator: printer.Generator},
		},
		Generate: func(pass *generators.Pass) {
			g := graph.New(pass, allRules())
			for _, t := range discoverAll(g, pass) {
				print(pass, g, t)
			}
		},
	}
}

// discoverAll reads everything before anything is decided: a type's function may be called from any
// package.
func discoverAll(g *graph.Graph, pass *generators.Pass) []*target {
	targets := targets(g, pass)
	for _, t := range targets {
		warnOfStrangers(t, g)
		discover(t, g)
	}
	declarative.StrayCustoms(g.Planner)
	g.StrayChanges()
	return targets
}

// print decides which functions a package gets, and prints them.
func print(pass *generators.Pass, g *graph.Graph, t *target) {
	names := emit.NewFile(t.Package.Dir, printer.FileName, t.Package.Path, t.Package.Name, printer.Generator)
	choose(t, g, names.Import)
	markers := pass.Model.OfPackage(t.Package)
	t.Fixture = slices.Contains(markers.Values(tagFixture), "validateFalse")
	t.Coverage = markers.Has(tagCoverage)
	printer.Print(pass, &t.Target)
}

// Covers returns the kinds of a package that have a function Validate_T, or will have one after
// this run, by name. It reports nothing: problems are said when the functions are printed.
func Covers(pass *generators.Pass, pkg *model.Package) map[string]bool {
	quiet := *pass
	quiet.Report = &diag.Report{}
	g := graph.New(&quiet, allRules())
	out := map[string]bool{}
	for _, t := range discoverAll(g, &quiet) {
		if t.Package != pkg {
			continue
		}
		g.Under(t.law)
		for _, f := range candidates(t, g) {
			if n := g.Nodes()[f.Node.Type]; n != nil && n.Validates() {
				out[f.Shown] = true
			}
		}
	}
	return out
}

// Rules are those of all types of a run, to be compared.
type Rules = graph.Rules

// RulesOf reads the rules of a run. It reports nothing: problems are said when the functions are
// printed.
func RulesOf(pass *generators.Pass) *Rules {
	quiet := *pass
	quiet.Report = &diag.Report{}
	g := graph.New(&quiet, allRules())
	discoverAll(g, &quiet)
	return graph.RulesIn(g)
}
