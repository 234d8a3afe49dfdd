package validation

import (
	"slices"

	"github.com/typeplane/typeplane/generators"
	"github.com/typeplane/typeplane/generators/diag"
	"github.com/typeplane/typeplane/generators/emit"
	"github.com/typeplane/typeplane/generators/model"
	"github.com/typeplane/typeplane/generators/tag"
)

const (
	fileName     = "zz_generated.validations.go"
	fixtureFile  = "zz_generated.validations_test.go"
	coverageFile = "zz_generated.validations_coverage_test.go"
	generator    = "validation-gen"

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
			"On a type: true or false. A package below a +typeplane:apiserver gets them for its kinds as soon as one of its types has a rule.",
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
		Tags: newRuleSet().definitions(),
		Outputs: []emit.Output{
			{Name: fileName, Generator: generator}, {Name: fixtureFile, Generator: generator}, {Name: coverageFile, Generator: generator},
		},
		Generate: func(pass *generators.Pass) {
			p := newPlanner(pass)
			targets := p.plan(pass)
			for _, t := range targets {
				emitTarget(pass, p, t)
			}
		},
	}
}

// plan reads everything before anything is decided: a type's function may be called from any package.
func (p *planner) plan(pass *generators.Pass) []*target {
	targets := p.targets(pass)
	for _, t := range targets {
		t.discover(p)
	}
	p.strayCustoms()
	return targets
}

func emitTarget(pass *generators.Pass, p *planner, t *target) {
	f := emit.NewFile(t.pkg.Dir, fileName, t.pkg.Path, t.pkg.Name, generator)
	t.choose(p, f.Import)
	fixture := slices.Contains(pass.Model.OfPackage(t.pkg).Values(tagFixture), "validateFalse")
	if len(t.functions) == 0 && !fixture {
		return
	}
	pr := &printer{File: pass.File(t.pkg, fileName, generator), target: t, declared: map[string]bool{}}
	if pass.InlineRuntime {
		pr.Copy(rulesPath, copiedRule)
	}
	pr.print()
	if pass.InlineRuntime {
		has := func(name string) bool { return t.pkg.Go.Scope().Lookup(name) != nil }
		if err := copyRules(pr.File, has); err != nil {
			pass.Report.Add(diag.Problem{Pos: pass.Model.PackagePos(t.pkg), Message: err.Error()})
		}
	}
	if fixture {
		test := &printer{File: pass.File(t.pkg, fixtureFile, generator), target: t}
		test.fixtureTest()
	}
	if pass.Model.OfPackage(t.pkg).Has(tagCoverage) {
		printCoverage(pass, t)
	}
}

// Covers returns the kinds of a package that have a function Validate_T, or will have one after this run, by name. It
// reports nothing: problems are said when the functions are printed.
func Covers(pass *generators.Pass, pkg *model.Package) map[string]bool {
	quiet := *pass
	quiet.Report = &diag.Report{}
	p := newPlanner(&quiet)
	out := map[string]bool{}
	for _, t := range p.plan(&quiet) {
		if t.pkg != pkg {
			continue
		}
		p.under(t.law)
		for _, f := range t.candidates(p) {
			if n := p.nodes[f.node.typ]; n != nil && n.validates() {
				out[f.shown] = true
			}
		}
	}
	return out
}
