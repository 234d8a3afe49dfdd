package openapi

import (
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/types"

	"github.com/typeplane/typeplane/generators/internal/diag"
	"github.com/typeplane/typeplane/generators/internal/generators"
	"github.com/typeplane/typeplane/generators/internal/model"
)

// modelNameOf is a method that is printed: the model of a type.
type modelNameOf struct{ typeName, model string }

// modelNames are the methods OpenAPIModelName of a package: of its exported structs if it has the
// tag, else of those that have it themselves.
func modelNames(pass *generators.Pass, pkg *model.Package) []modelNameOf {
	whole := value(pass.Model.OfPackage(pkg), tagModelPackage)
	var out []modelNameOf
	for _, t := range pkg.Types.Types {
		if !named(t) {
			continue // nobody claims the tag above it
		}
		prefix := whole
		markers := pass.Model.OfType(t)
		if own := value(markers, tagModelPackage); own != "" {
			prefix = own
		}
		asked := whole != "" || markers.Has(tagModelPackage)
		switch {
		case !asked || t.Methods["OpenAPIModelName"] != nil:
		case prefix == "":
			pass.Report.Add(diag.Problem{
				Pos: pass.Model.TypePos(t), Path: t.Name.Name, Message: "+" + tagModelPackage + " has no value",
				Cure: "say what the name begins with, like +" + tagModelPackage + "=com.example.shop.v1",
			})
		default:
			out = append(out, modelNameOf{typeName: t.Name.Name, model: prefix + "." + t.Name.Name})
		}
	}
	slices.SortFunc(out, func(a, b modelNameOf) int { return strings.Compare(a.typeName, b.typeName) })
	return out
}

// named says whether a type is a struct that can be seen from outside and have methods.
func named(t *types.Type) bool {
	return token.IsExported(t.Name.Name) && !model.IsInstance(t) && model.Underlying(t).Kind == types.Struct
}
