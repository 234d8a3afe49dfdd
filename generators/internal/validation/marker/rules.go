package marker

import (
	"slices"

	"github.com/typeplane/typeplane/generators/internal/validation/rule"
)

// Rules are the constraints of OpenAPI.
func Rules() []rule.Rule {
	return slices.Concat(
		limitRules(), stringRules(), listRules(), presenceRules(), groupRules(), shapeRules(), celRules(), listTypeRules(),
		schemaRules(),
	)
}
