package fieldset

import (
	"go/token"
	gotypes "go/types"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/emit"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
	"github.com/typeplane/typeplane/generators/internal/openapi"
	"github.com/typeplane/typeplane/generators/internal/tag"
)

const enableTag = "typeplane:fieldset-gen"

// Plugin prints the functions beside the types, exported, for servers that are joined by hand.
func Plugin() generators.Plugin {
	return generators.Plugin{
		Name: "fieldset",
		Doc:  "CompareFields functions: which fields two objects differ in, for field ownership (zz_generated.fieldset.go)",
		Tags: []tag.Definition{{Name: enableTag, Scope: tag.Package, Value: tag.Name,
			Doc: "package prints CompareFields_T for the kinds of the package that have OpenAPI schemas, for whoever joins a server by hand. " +
				"Servers that are generated need no tag: they have the functions for themselves.", Example: "+typeplane:fieldset-gen=package"}},
		Outputs: []emit.Output{{Name: fileName, Generator: generator}},
		Generate: func(pass *generators.Pass) {
			for _, pkg := range pass.Packages {
				if Exports(pass.Model, pkg) {
					generate(pass, pkg, exported(pass, pkg), generator)
				}
			}
		},
	}
}

// Exports says whether the functions for the kinds of a package are in the package itself.
func Exports(m *model.Model, pkg *model.Package) bool {
	value, _ := m.OfPackage(pkg).Last(enableTag)
	return value == "package" && openapi.Publishes(m, pkg)
}

// Function is the name of the function for a kind in a package that exports them.
func Function(kind string) string { return "CompareFields_" + kind }

// schemasOf reads the schemas of a package. They name its own kinds only, because looking for those
// of all packages again would take long.
func schemasOf(pass *generators.Pass, pkg *model.Package) (*schemas, error) {
	alone := *pass
	alone.Packages = []*model.Package{pkg}
	return readSchemas(openapi.Schemas(&alone, pkg))
}

// exported are the kinds of a package that have schemas, by name.
func exported(pass *generators.Pass, pkg *model.Package) (out []Kind) {
	read, err := schemasOf(pass, pkg)
	if err != nil {
		return nil // which the generator of schemas reports
	}
	group, version, _ := pass.Model.GroupVersion(pkg)
	add := func(name string, t gotypes.Type, pos token.Position) {
		gvk := schema.GroupVersionKind{Group: group, Version: version, Kind: name}
		if _, ok := read.kinds[gvk]; ok {
			out = append(out, Kind{Package: pkg, GoType: t, Name: gvk, Function: Function(name), Pos: pos})
		}
	}
	for name, t := range pkg.Types.Types {
		if t.Kind == types.Struct && model.Embeds(t, "TypeMeta") && model.Embeds(t, "ObjectMeta") {
			add(name, t.GoType, pass.Model.TypePos(t))
		}
	}
	for _, a := range pass.Model.Aliases(pkg) {
		if pass.Model.IsKind(a) {
			add(a.Name, a.Target.GoType, pass.Model.AliasPos(a))
		}
	}
	slices.SortFunc(out, func(a, b Kind) int { return strings.Compare(a.Name.Kind, b.Name.Kind) })
	return out
}
